package conformance

import (
	"fmt"
	"sort"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

type value = types.AttributeValue

// newValues returns functions that store one value and return it as it comes back, and that store one
// and return the error.
func newValues(t *testing.T) (roundTrip func(value) value, store func(value) error) {
	t.Helper()
	client := newClient(t)
	table := items{client, newTable(t, client, onDemand(false))}
	serial := 0
	store = func(v value) error {
		serial++
		_, err := table.put(item(fmt.Sprint(serial), "value", v))
		return err
	}
	roundTrip = func(v value) value {
		t.Helper()
		if err := store(v); err != nil {
			t.Fatal(err)
		}
		return must(table.get(item(fmt.Sprint(serial))))(t).Item["value"]
	}
	return roundTrip, store
}

func list(elements ...types.AttributeValue) types.AttributeValue {
	return &types.AttributeValueMemberL{Value: append([]value{}, elements...)}
}

func object(members attributes) types.AttributeValue {
	return &types.AttributeValueMemberM{Value: members}
}

// wrapped puts a value into depth containers, maps and lists in turn.
func wrapped(value types.AttributeValue, depth int) types.AttributeValue {
	for i := 0; i < depth; i++ {
		if i%2 == 0 {
			value = object(attributes{"inner": value})
		} else {
			value = list(value)
		}
	}
	return value
}

func everyByte() []byte {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	return all
}

func TestTypesAtEveryDepth(t *testing.T) {
	roundTrip, store := newValues(t)
	scalarsAndSets := []value{
		text("leaf"), number("-12.5"), binary([]byte{0, 255}),
		&types.AttributeValueMemberBOOL{Value: false}, &types.AttributeValueMemberNULL{Value: true},
		&types.AttributeValueMemberSS{Value: []string{"a"}}, &types.AttributeValueMemberNS{Value: []string{"1"}},
		&types.AttributeValueMemberBS{Value: [][]byte{{1}}},
	}
	for _, leaf := range append(scalarsAndSets, list(), object(attributes{})) {
		for _, depth := range []int{0, 1, 16, 31} {
			value := wrapped(leaf, depth)
			equal(t, fmt.Sprintf("%T in %d containers", leaf, depth), roundTrip(value), value)
		}
	}
	for _, leaf := range scalarsAndSets {
		refused(t, store(wrapped(leaf, 32)), "ValidationException",
			"Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit")
	}
}

func TestNumbers(t *testing.T) {
	roundTrip, store := newValues(t)
	nines, digits := repeat("9", 38), "12345678901234567890123456789012345678"
	for sent, stored := range map[string]string{
		"9.9999999999999999999999999999999999999E+125":  nines + repeat("0", 88),
		"-9.9999999999999999999999999999999999999E+125": "-" + nines + repeat("0", 88),
		"1E-130":              "0." + repeat("0", 129) + "1",
		"-1E-130":             "-0." + repeat("0", 129) + "1",
		digits + "E-167":      "0." + repeat("0", 129) + digits,
		"-" + digits + "E+88": "-" + digits + repeat("0", 88),
		digits:                digits,
		"0." + digits:         "0." + digits,
		"+3":                  "3",
		"007":                 "7",
		"1.10":                "1.1",
		"1.0e-1":              "0.1",
		"-0.0":                "0",
		".5":                  "0.5",
		"1e-20":               "0." + repeat("0", 19) + "1",
	} {
		equal(t, sent, roundTrip(number(sent)), number(stored))
	}
	const overflow = "Number overflow. Attempting to store a number with magnitude larger than supported range"
	const underflow = "Number underflow. Attempting to store a number with magnitude smaller than supported range"
	const precise = "Attempting to store more than 38 significant digits in a Number"
	for sent, message := range map[string]string{
		"1e126": overflow, "-1e126": overflow, "1e-131": underflow, "-1e-131": underflow,
		digits + "9": precise, "0." + digits + "9": precise,
		"dog": "The parameter cannot be converted to a numeric value: dog",
		"1e":  "The parameter cannot be converted to a numeric value: 1e",
	} {
		refused(t, store(number(sent)), "ValidationException", oneError+message)
	}
}

func TestBinaryAndEmptyValues(t *testing.T) {
	roundTrip, _ := newValues(t)
	for _, value := range []value{
		binary(everyByte()), text(""), binary([]byte{}), list(), object(attributes{}),
		&types.AttributeValueMemberSS{Value: []string{""}}, &types.AttributeValueMemberBS{Value: [][]byte{{}}},
		list(text(""), binary([]byte{}), list(), object(attributes{"x": text("")})),
	} {
		equal(t, fmt.Sprintf("%T", value), roundTrip(value), value)
	}

	client := newClient(t)
	input := onDemand(false)
	input.AttributeDefinitions[0].AttributeType = types.ScalarAttributeTypeB
	table := items{client, newTable(t, client, input)}
	key := attributes{"pk": binary(everyByte())}
	must(table.put(key))(t)
	equal(t, "binary key", must(table.get(key))(t).Item, key)
}

func TestSets(t *testing.T) {
	roundTrip, store := newValues(t)
	texts := &types.AttributeValueMemberSS{Value: []string{"pear", "apple", "Äpfel"}}
	texts = roundTrip(texts).(*types.AttributeValueMemberSS)
	sort.Strings(texts.Value)
	equal(t, "strings", texts.Value, []string{"apple", "pear", "Äpfel"})
	numbers := &types.AttributeValueMemberNS{Value: []string{"3", "-1", "2.50", "1e2"}}
	numbers = roundTrip(numbers).(*types.AttributeValueMemberNS)
	sort.Strings(numbers.Value)
	equal(t, "numbers", numbers.Value, []string{"-1", "100", "2.5", "3"})
	blobs := &types.AttributeValueMemberBS{Value: [][]byte{{2}, {1, 0}, everyByte()}}
	blobs = roundTrip(blobs).(*types.AttributeValueMemberBS)
	sort.Slice(blobs.Value, func(a, b int) bool { return string(blobs.Value[a]) < string(blobs.Value[b]) })
	equal(t, "binaries", blobs.Value, [][]byte{everyByte(), {1, 0}, {2}})

	for message, set := range map[string]value{
		"An string set  may not be empty":                       &types.AttributeValueMemberSS{Value: []string{}},
		"An number set  may not be empty":                       &types.AttributeValueMemberNS{Value: []string{}},
		"Binary sets should not be empty":                       &types.AttributeValueMemberBS{Value: [][]byte{}},
		`Input collection ["a", "b", "b"] contains duplicates.`: &types.AttributeValueMemberSS{Value: []string{"b", "a", "b"}},
		"Input collection contains duplicates.":                 &types.AttributeValueMemberNS{Value: []string{"1", "1.0"}},
		`Input collection ["AQ==","AQ=="]of type BS contains duplicates.`: &types.AttributeValueMemberBS{
			Value: [][]byte{{1}, {1}},
		},
	} {
		refused(t, store(set), "ValidationException", oneError+invalid+message)
	}
}

func TestUnicode(t *testing.T) {
	client := newClient(t)
	table := items{client, newTable(t, client, onDemand(false))}
	texts := []string{
		"naïve café", "e\u0301 and \u00e9 differ", "東京 漢字 かな カナ 한국어", "👩‍👩‍👧‍👦 🏳️‍🌈 🇩🇰",
		"עברית العربية ﷺ",
		"\x00\x01\t\n\r\"\\/\x1f\x7f\u0080", "<&>\u2028\u2029\ufeff\uffff", "\U00010000\U0010ffff",
	}
	key := ""
	members := attributes{}
	for _, one := range texts {
		key += one
		members[one] = object(attributes{one: list(text(one))})
	}
	members["pk"] = text(key)
	must(table.put(members))(t)
	equal(t, "item", must(table.get(item(key)))(t).Item, members)
}
