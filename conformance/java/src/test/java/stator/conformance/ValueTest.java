package stator.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static stator.conformance.Server.INVALID;
import static stator.conformance.Server.ONE_ERROR;
import static stator.conformance.Server.attribute;
import static stator.conformance.Server.onDemand;
import static stator.conformance.Server.refusedValidation;
import static stator.conformance.Server.withTable;
import static stator.conformance.Values.bytes;
import static stator.conformance.Values.everyByte;
import static stator.conformance.Values.item;
import static stator.conformance.Values.list;
import static stator.conformance.Values.map;
import static stator.conformance.Values.number;
import static stator.conformance.Values.text;
import static stator.conformance.Values.wrapped;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.CreateTableRequest;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;

/** Attribute values: every type, depth, numbers, binary, text, sets, and what is refused. */
class ValueTest {
  private static final DynamoDbClient client = Server.client();
  private static final String table = Server.uniqueName();

  @BeforeAll
  static void createTable() {
    client.createTable(onDemand().tableName(table).build());
  }

  @AfterAll
  static void deleteTable() {
    client.deleteTable(b -> b.tableName(table));
  }

  private static void store(AttributeValue value) {
    client.putItem(b -> b.tableName(table).item(item("value", "value", value)));
  }

  private static AttributeValue roundTrip(AttributeValue value) {
    store(value);
    return client.getItem(b -> b.tableName(table).key(item("value")).consistentRead(true)).item().get("value");
  }

  private static AttributeValue sets(List<byte[]> members) {
    return AttributeValue.fromBs(members.stream().map(SdkBytes::fromByteArray).toList());
  }

  private static final List<AttributeValue> SCALARS_AND_SETS =
      List.of(
          text("leaf"), number("-12.5"), bytes(new byte[] {0, -1}),
          AttributeValue.fromBool(false), AttributeValue.fromNul(true),
          AttributeValue.fromSs(List.of("a")), AttributeValue.fromNs(List.of("1")), sets(List.of(new byte[] {1})));

  @Test
  void typesAtEveryDepth() {
    for (int depth : new int[] {0, 1, 16, 31}) {
      for (AttributeValue leaf : SCALARS_AND_SETS) {
        assertEquals(wrapped(leaf, depth), roundTrip(wrapped(leaf, depth)));
      }
      assertEquals(wrapped(list(), depth), roundTrip(wrapped(list(), depth)));
      assertEquals(wrapped(map(Map.of()), depth), roundTrip(wrapped(map(Map.of()), depth)));
    }
    for (AttributeValue leaf : SCALARS_AND_SETS) {
      refusedValidation(
          "Nesting Levels have exceeded supported limits: "
              + "Attributes in the item have nested levels beyond supported limit",
          () -> store(wrapped(leaf, 32)));
    }
  }

  @Test
  void numbersInPlainForm() {
    String nines = "9".repeat(38);
    String digits = "12345678901234567890123456789012345678";
    Map<String, String> forms = new HashMap<>();
    forms.put("9.9999999999999999999999999999999999999E+125", nines + "0".repeat(88));
    forms.put("-9.9999999999999999999999999999999999999E+125", "-" + nines + "0".repeat(88));
    forms.put("1E-130", "0." + "0".repeat(129) + "1");
    forms.put("-1E-130", "-0." + "0".repeat(129) + "1");
    forms.put(digits + "E-167", "0." + "0".repeat(129) + digits);
    forms.put(digits, digits);
    forms.put("-0." + digits, "-0." + digits);
    forms.put("+3", "3");
    forms.put("007", "7");
    forms.put("1.10", "1.1");
    forms.put("1.0e-1", "0.1");
    forms.put("-0.0", "0");
    forms.put(".5", "0.5");
    forms.put("1e-20", "0." + "0".repeat(19) + "1");
    forms.forEach((sent, stored) -> assertEquals(number(stored), roundTrip(number(sent))));
  }

  @Test
  void badNumbers() {
    String overflow =
        "Number overflow. Attempting to store a number with magnitude larger than supported range";
    String underflow =
        "Number underflow. Attempting to store a number with magnitude smaller than supported range";
    String precise = "Attempting to store more than 38 significant digits in a Number";
    String noNumber = "The parameter cannot be converted to a numeric value: ";
    Map<String, String> cases = new HashMap<>();
    cases.put("1e126", overflow);
    cases.put("-1e126", overflow);
    cases.put("1e-131", underflow);
    cases.put("1".repeat(39), precise);
    cases.put("dog", noNumber + "dog");
    cases.put("NaN", noNumber + "NaN");
    cases.put("5 ", noNumber + "5 ");
    cases.forEach((sent, message) -> refusedValidation(ONE_ERROR + message, () -> store(number(sent))));
  }

  @Test
  void binaryAndEmptyValues() {
    List<AttributeValue> values =
        List.of(
            bytes(everyByte()), text(""), bytes(new byte[0]), list(), map(Map.of()),
            AttributeValue.fromSs(List.of("")), sets(List.of(new byte[0])),
            list(text(""), bytes(new byte[0]), list(), map(Map.of("x", text("")))));
    values.forEach(value -> assertEquals(value, roundTrip(value)));

    CreateTableRequest.Builder keyed =
        onDemand().attributeDefinitions(attribute("pk", ScalarAttributeType.B));
    withTable(client, keyed, name -> {
      Map<String, AttributeValue> key = Map.of("pk", bytes(everyByte()));
      client.putItem(b -> b.tableName(name).item(key));
      assertEquals(key, client.getItem(b -> b.tableName(name).key(key)).item());
    });
  }

  @Test
  void sets() {
    List<String> words = List.of("pear", "apple", "Äpfel");
    assertEquals(new HashSet<>(words), new HashSet<>(roundTrip(AttributeValue.fromSs(words)).ss()));
    List<String> numbers = roundTrip(AttributeValue.fromNs(List.of("3", "-1", "2.50", "1e2"))).ns();
    assertEquals(new HashSet<>(List.of("3", "-1", "2.5", "100")), new HashSet<>(numbers));
    AttributeValue blobs = sets(List.of(new byte[] {2}, new byte[] {1, 0}, everyByte()));
    assertEquals(new HashSet<>(blobs.bs()), new HashSet<>(roundTrip(blobs).bs()));

    Map<String, AttributeValue> cases = new HashMap<>();
    cases.put("An string set  may not be empty", AttributeValue.fromSs(List.of()));
    cases.put("An number set  may not be empty", AttributeValue.fromNs(List.of()));
    cases.put("Binary sets should not be empty", AttributeValue.fromBs(List.of()));
    cases.put(
        "Input collection [\"a\", \"b\", \"b\"] contains duplicates.",
        AttributeValue.fromSs(List.of("b", "a", "b")));
    cases.put("Input collection contains duplicates.", AttributeValue.fromNs(List.of("1", "1.0")));
    cases.forEach((message, set) -> refusedValidation(ONE_ERROR + INVALID + message, () -> store(set)));
  }

  @Test
  void unicodeInNamesAndValues() {
    List<String> texts =
        List.of(
            "naïve café", "e\u0301 and \u00e9 differ", "東京 漢字 かな カナ 한국어", "👩‍👩‍👧‍👦 🏳️‍🌈 🇩🇰",
            "עברית العربية ﷺ", "\0\1\t\n\r\"\\/\37\177\u0080", "\u2028\u2029\ufeff\uffff",
            "\ud800\udc00\udbff\udfff");
    Map<String, AttributeValue> whole = item(String.join("", texts));
    for (String one : texts) {
      whole.put(one, map(Map.of(one, list(text(one)))));
    }
    client.putItem(b -> b.tableName(table).item(whole));
    Map<String, AttributeValue> key = Map.of("pk", whole.get("pk"));
    assertEquals(whole, client.getItem(b -> b.tableName(table).key(key)).item());
  }
}
