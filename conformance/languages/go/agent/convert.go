package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

var attributeValues = map[string]interface{}{
	"S": types.AttributeValueMemberS{}, "N": types.AttributeValueMemberN{}, "B": types.AttributeValueMemberB{},
	"BOOL": types.AttributeValueMemberBOOL{}, "NULL": types.AttributeValueMemberNULL{},
	"SS": types.AttributeValueMemberSS{}, "NS": types.AttributeValueMemberNS{}, "BS": types.AttributeValueMemberBS{},
	"L": types.AttributeValueMemberL{}, "M": types.AttributeValueMemberM{},
}

// set fills a value of one of the SDK's types from JSON (numbers as json.Number, binary in base64). The
// error says where in the value it arose.
func set(target reflect.Value, from interface{}) error {
	switch from := from.(type) {
	case string:
		return setText(target, from)
	case map[string]interface{}:
		return setMembers(target, from)
	case []interface{}:
		if pointed(target).Kind() == reflect.Slice {
			list := reflect.MakeSlice(target.Type(), len(from), len(from))
			for i, element := range from {
				if err := set(list.Index(i), element); err != nil {
					return fmt.Errorf("[%d]%w", i, err)
				}
			}
			target.Set(list)
			return nil
		}
	case bool:
		if value := pointed(target); value.Kind() == reflect.Bool {
			value.SetBool(from)
			return nil
		}
	case json.Number:
		if value := pointed(target); value.CanInt() {
			number, err := from.Int64()
			value.SetInt(number)
			return err
		}
	}
	return fmt.Errorf(": no %s can be made of %v", target.Type(), from)
}

// pointed is the value itself, or a new one behind a pointer.
func pointed(target reflect.Value) reflect.Value {
	if target.Kind() != reflect.Ptr {
		return target
	}
	target.Set(reflect.New(target.Type().Elem()))
	return target.Elem()
}

func setText(target reflect.Value, from string) error {
	value := pointed(target)
	if value.Kind() == reflect.String {
		value.SetString(from)
		return nil
	}
	if value.Type() != reflect.TypeOf([]byte{}) {
		return fmt.Errorf(": no %s can be made of a text", target.Type())
	}
	decoded, err := base64.StdEncoding.DecodeString(from)
	value.SetBytes(decoded)
	return err
}

func setMembers(target reflect.Value, from map[string]interface{}) error {
	value := pointed(target)
	if value.Kind() == reflect.Map {
		value.Set(reflect.MakeMap(value.Type()))
	}
	for name, member := range from {
		var place reflect.Value
		switch value.Kind() {
		case reflect.Struct:
			place = value.FieldByName(name)
		case reflect.Map:
			place = reflect.New(value.Type().Elem()).Elem()
		case reflect.Interface: // the union AttributeValue
			if kind, known := attributeValues[name]; known && len(from) == 1 {
				pointer := reflect.New(reflect.TypeOf(kind))
				target.Set(pointer)
				place = pointer.Elem().FieldByName("Value")
			}
		}
		if !place.IsValid() {
			return fmt.Errorf(".%s: %s has no such member", name, value.Type())
		}
		if err := set(place, member); err != nil {
			return fmt.Errorf(".%s%w", name, err)
		}
		if value.Kind() == reflect.Map {
			value.SetMapIndex(reflect.ValueOf(name), place)
		}
	}
	return nil
}

// get is the reverse of set; what is absent is nil, and a time is {"$date": seconds}.
func get(value reflect.Value) interface{} {
	switch value.Kind() {
	case reflect.Ptr, reflect.Interface, reflect.Map, reflect.Slice:
		if value.IsNil() {
			return nil
		}
	}
	if kind := value.Type().Name(); value.Kind() == reflect.Struct && strings.HasPrefix(kind, "AttributeValueMember") {
		return map[string]interface{}{strings.TrimPrefix(kind, "AttributeValueMember"): get(value.Field(0))}
	}
	switch held := value.Interface().(type) {
	case time.Time:
		return map[string]interface{}{"$date": float64(held.UnixMilli()) / 1000}
	case []byte:
		return base64.StdEncoding.EncodeToString(held)
	}
	switch value.Kind() {
	case reflect.Ptr, reflect.Interface:
		return get(value.Elem())
	case reflect.Slice:
		list := make([]interface{}, value.Len())
		for i := range list {
			list[i] = get(value.Index(i))
		}
		return list
	case reflect.Map:
		members := map[string]interface{}{}
		for _, name := range value.MapKeys() {
			members[name.String()] = get(value.MapIndex(name))
		}
		return members
	case reflect.Struct:
		return getMembers(value)
	}
	return value.Interface()
}

func getMembers(value reflect.Value) interface{} {
	members := map[string]interface{}{}
	for i := 0; i < value.NumField(); i++ {
		field := value.Type().Field(i)
		if !field.IsExported() || field.Name == "ResultMetadata" {
			continue
		}
		member := value.Field(i)
		if member.Kind() == reflect.String && member.Len() == 0 { // an enumeration that was not sent
			continue
		}
		if got := get(member); got != nil {
			members[field.Name] = got
		}
	}
	return members
}
