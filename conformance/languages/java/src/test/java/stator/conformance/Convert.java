package stator.conformance;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.core.SdkField;
import software.amazon.awssdk.core.SdkPojo;
import software.amazon.awssdk.core.protocol.MarshallingType;
import software.amazon.awssdk.core.traits.ListTrait;
import software.amazon.awssdk.core.traits.MapTrait;
import software.amazon.awssdk.core.util.SdkAutoConstructList;
import software.amazon.awssdk.core.util.SdkAutoConstructMap;
import software.amazon.awssdk.protocols.jsoncore.JsonNode;
import software.amazon.awssdk.protocols.jsoncore.JsonWriter;
import software.amazon.awssdk.utils.builder.Buildable;

/** JSON (binary values in base64) to the SDK's requests, and its responses to JSON. */
final class Convert {
  private Convert() {}

  static Object toSdk(Class<?> type, JsonNode json) throws ReflectiveOperationException {
    return build((SdkPojo) type.getMethod("builder").invoke(null), json);
  }

  private static Object build(SdkPojo builder, JsonNode json) {
    json.asObject().forEach((name, value) -> {
      SdkField<?> field = builder.sdkFields().stream()
          .filter(f -> f.locationName().equals(name))
          .findFirst()
          .orElseThrow(() -> new IllegalArgumentException("no member " + name + " in " + builder.getClass()));
      field.set(builder, toSdk(field, value));
    });
    return ((Buildable) builder).build();
  }

  private static Object toSdk(SdkField<?> field, JsonNode json) {
    MarshallingType<?> type = field.marshallingType();
    if (type == MarshallingType.STRING) {
      return json.asString();
    } else if (type == MarshallingType.BOOLEAN) {
      return json.asBoolean();
    } else if (type == MarshallingType.INTEGER) {
      return Integer.valueOf(json.asNumber());
    } else if (type == MarshallingType.LONG) {
      return Long.valueOf(json.asNumber());
    } else if (type == MarshallingType.SDK_BYTES) {
      return SdkBytes.fromByteArray(Base64.getDecoder().decode(json.asString()));
    } else if (type == MarshallingType.SDK_POJO) {
      return build(field.constructor().get(), json);
    } else if (type == MarshallingType.LIST) {
      SdkField<?> element = field.getTrait(ListTrait.class).memberFieldInfo();
      List<Object> list = new ArrayList<>();
      json.asArray().forEach(value -> list.add(toSdk(element, value)));
      return list;
    } else if (type == MarshallingType.MAP) {
      SdkField<?> member = field.getTrait(MapTrait.class).valueFieldInfo();
      Map<String, Object> map = new LinkedHashMap<>();
      json.asObject().forEach((name, value) -> map.put(name, toSdk(member, value)));
      return map;
    }
    throw new IllegalArgumentException(field.locationName() + " is of the type " + type);
  }

  /** Maps, lists, texts, numbers and booleans; a member that was not sent is absent. */
  static Object fromSdk(Object value) {
    if (value instanceof SdkPojo pojo) {
      Map<String, Object> members = new LinkedHashMap<>();
      for (SdkField<?> field : pojo.sdkFields()) {
        Object member = field.getValueOrDefault(pojo);
        if (member != null && !(member instanceof SdkAutoConstructList) && !(member instanceof SdkAutoConstructMap)) {
          members.put(field.locationName(), fromSdk(member));
        }
      }
      return members;
    } else if (value instanceof List<?> list) {
      return list.stream().map(Convert::fromSdk).toList();
    } else if (value instanceof Map<?, ?> map) {
      Map<String, Object> members = new LinkedHashMap<>();
      map.forEach((name, member) -> members.put((String) name, fromSdk(member)));
      return members;
    } else if (value instanceof SdkBytes bytes) {
      return Base64.getEncoder().encodeToString(bytes.asByteArray());
    } else if (value instanceof Instant instant) {
      return Map.of("$date", instant.toEpochMilli() / 1000.0);
    }
    return value;
  }

  static String toJson(Object value) {
    JsonWriter writer = JsonWriter.create();
    write(writer, value);
    return new String(writer.getBytes(), java.nio.charset.StandardCharsets.UTF_8);
  }

  private static void write(JsonWriter writer, Object value) {
    if (value instanceof Map<?, ?> map) {
      writer.writeStartObject();
      map.forEach((name, member) -> {
        writer.writeFieldName((String) name);
        write(writer, member);
      });
      writer.writeEndObject();
    } else if (value instanceof List<?> list) {
      writer.writeStartArray();
      list.forEach(element -> write(writer, element));
      writer.writeEndArray();
    } else if (value instanceof Boolean flag) {
      writer.writeValue(flag);
    } else if (value instanceof Number number) {
      writer.writeNumber(number.toString());
    } else {
      writer.writeValue((String) value);
    }
  }
}
