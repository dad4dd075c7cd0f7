package stator.conformance;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Short names for attribute values and items. */
final class Values {
  private Values() {}

  static AttributeValue text(String value) {
    return AttributeValue.fromS(value);
  }

  static AttributeValue number(String value) {
    return AttributeValue.fromN(value);
  }

  static AttributeValue bytes(byte[] value) {
    return AttributeValue.fromB(SdkBytes.fromByteArray(value));
  }

  static AttributeValue list(AttributeValue... elements) {
    return AttributeValue.fromL(List.of(elements));
  }

  static AttributeValue map(Map<String, AttributeValue> members) {
    return AttributeValue.fromM(members);
  }

  static byte[] everyByte() {
    byte[] all = new byte[256];
    for (int i = 0; i < all.length; i++) {
      all[i] = (byte) i;
    }
    return all;
  }

  /** Puts a value into `depth` containers, maps and lists in turn. */
  static AttributeValue wrapped(AttributeValue value, int depth) {
    for (int i = 0; i < depth; i++) {
      value = i % 2 == 0 ? map(Map.of("inner", value)) : list(value);
    }
    return value;
  }

  /** An item with the key pk and pairs of further names and values. */
  static Map<String, AttributeValue> item(String pk, Object... more) {
    Map<String, AttributeValue> attributes = new HashMap<>(Map.of("pk", text(pk)));
    for (int i = 0; i < more.length; i += 2) {
      attributes.put((String) more[i], (AttributeValue) more[i + 1]);
    }
    return attributes;
  }
}
