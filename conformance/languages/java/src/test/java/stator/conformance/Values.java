package stator.conformance;

import java.util.HashMap;
import java.util.Map;
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

  static byte[] everyByte() {
    byte[] all = new byte[256];
    for (int i = 0; i < all.length; i++) {
      all[i] = (byte) i;
    }
    return all;
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
