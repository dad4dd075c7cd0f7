package stator.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.enhanced.dynamodb.Document;
import software.amazon.awssdk.enhanced.dynamodb.DynamoDbEnhancedClient;
import software.amazon.awssdk.enhanced.dynamodb.DynamoDbTable;
import software.amazon.awssdk.enhanced.dynamodb.Expression;
import software.amazon.awssdk.enhanced.dynamodb.Key;
import software.amazon.awssdk.enhanced.dynamodb.TableSchema;
import software.amazon.awssdk.enhanced.dynamodb.extensions.annotations.DynamoDbVersionAttribute;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbBean;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbPartitionKey;
import software.amazon.awssdk.enhanced.dynamodb.model.TransactDeleteItemEnhancedRequest;
import software.amazon.awssdk.enhanced.dynamodb.model.TransactGetItemsEnhancedRequest;
import software.amazon.awssdk.enhanced.dynamodb.model.TransactPutItemEnhancedRequest;
import software.amazon.awssdk.enhanced.dynamodb.model.TransactWriteItemsEnhancedRequest;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.CancellationReason;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;

/**
 * The enhanced client's transactions, by many threads: transfers with an audit row, and e-mail addresses of
 * which each belongs to one. It writes whole beans, so what was read is protected by its version.
 */
class EnhancedTransactionsTest {
  private static final int CLIENTS = 8;
  private static final Expression FRESH = Expression.builder().expression("attribute_not_exists(id)").build();

  /** An account with its balance, or a user with an address. */
  @DynamoDbBean
  public static class Party {
    private String id;
    private Integer balance;
    private String address;
    private Long version;

    @DynamoDbPartitionKey
    public String getId() {
      return id;
    }

    public void setId(String id) {
      this.id = id;
    }

    public Integer getBalance() {
      return balance;
    }

    public void setBalance(Integer balance) {
      this.balance = balance;
    }

    public String getAddress() {
      return address;
    }

    public void setAddress(String address) {
      this.address = address;
    }

    @DynamoDbVersionAttribute
    public Long getVersion() {
      return version;
    }

    public void setVersion(Long version) {
      this.version = version;
    }
  }

  /** An audit row: from whom to whom how much; or the reservation of an address: by whom. */
  @DynamoDbBean
  public static class Note {
    private String id;
    private String giver;
    private String taker;
    private Integer amount;

    @DynamoDbPartitionKey
    public String getId() {
      return id;
    }

    public void setId(String id) {
      this.id = id;
    }

    public String getGiver() {
      return giver;
    }

    public void setGiver(String giver) {
      this.giver = giver;
    }

    public String getTaker() {
      return taker;
    }

    public void setTaker(String taker) {
      this.taker = taker;
    }

    public Integer getAmount() {
      return amount;
    }

    public void setAmount(Integer amount) {
      this.amount = amount;
    }
  }

  private static Party party(String id, Integer balance, String address) {
    Party party = new Party();
    party.setId(id);
    party.setBalance(balance);
    party.setAddress(address);
    return party;
  }

  private static Note note(String id, String giver, String taker, Integer amount) {
    Note note = new Note();
    note.setId(id);
    note.setGiver(giver);
    note.setTaker(taker);
    note.setAmount(amount);
    return note;
  }

  private static Key key(String id) {
    return Key.builder().partitionValue(id).build();
  }

  /** Two tables and what is done on them, each in a transaction. */
  private record Town(DynamoDbEnhancedClient client, DynamoDbTable<Party> parties, DynamoDbTable<Note> notes) {
    static void with(Consumer<Town> body) throws Exception {
      try (DynamoDbClient plain = Server.client()) {
        DynamoDbEnhancedClient client = DynamoDbEnhancedClient.builder().dynamoDbClient(plain).build();
        Town town =
            new Town(
                client,
                client.table(Server.uniqueName(), TableSchema.fromBean(Party.class)),
                client.table(Server.uniqueName(), TableSchema.fromBean(Note.class)));
        for (DynamoDbTable<?> table : List.of(town.parties, town.notes)) {
          table.createTable();
          plain.waiter().waitUntilTableExists(b -> b.tableName(table.tableName()));
        }
        try {
          body.accept(town);
        } finally {
          town.parties.deleteTable();
          town.notes.deleteTable();
        }
      }
    }

    /** None when it is done, else the codes of the reasons why not. */
    List<String> write(Consumer<TransactWriteItemsEnhancedRequest.Builder> actions) {
      try {
        client.transactWriteItems(actions);
        return List.of();
      } catch (TransactionCanceledException cancelled) {
        List<String> codes = cancelled.cancellationReasons().stream().map(CancellationReason::code).toList();
        assertTrue(Set.of("None", "ConditionalCheckFailed", "TransactionConflict").containsAll(codes), codes::toString);
        assertTrue(!Set.of("None").containsAll(codes), codes::toString);
        return codes;
      }
    }

    /** The parties as they were at one moment. */
    List<Party> read(List<String> ids) {
      TransactGetItemsEnhancedRequest.Builder request = TransactGetItemsEnhancedRequest.builder();
      ids.forEach(id -> request.addGetItem(parties, key(id)));
      while (true) {
        try {
          List<Document> found = client.transactGetItems(request.build());
          return found.stream().map(document -> document.getItem(parties)).toList();
        } catch (TransactionCanceledException cancelled) {
          assertTrue(cancelled.cancellationReasons().stream().anyMatch(r -> r.code().equals("TransactionConflict")));
        }
      }
    }

    TransactPutItemEnhancedRequest<Note> fresh(Note note) {
      return TransactPutItemEnhancedRequest.builder(Note.class).item(note).conditionExpression(FRESH).build();
    }

    /** False: the giver has not that much. */
    boolean transfer(Note audit) {
      while (true) {
        List<Party> both = read(List.of(audit.getGiver(), audit.getTaker()));
        Party giver = both.get(0);
        Party taker = both.get(1);
        if (giver.getBalance() < audit.getAmount()) {
          return false;
        }
        giver.setBalance(giver.getBalance() - audit.getAmount());
        taker.setBalance(taker.getBalance() + audit.getAmount());
        List<String> codes =
            write(b -> b.addUpdateItem(parties, giver).addUpdateItem(parties, taker).addPutItem(notes, fresh(audit)));
        if (codes.isEmpty()) {
          return true;
        }
        assertEquals("None", codes.get(2)); // somebody else was faster with one of the accounts
      }
    }

    /** The user's address becomes another: the old one is free then. */
    List<String> move(Party user, String address) {
      String old = user.getAddress();
      user.setAddress(address);
      Expression own =
          Expression.builder()
              .expression("giver = :user")
              .putExpressionValue(":user", Values.text(user.getId()))
              .build();
      TransactDeleteItemEnhancedRequest free =
          TransactDeleteItemEnhancedRequest.builder().key(key(old)).conditionExpression(own).build();
      return write(
          b ->
              b.addUpdateItem(parties, user)
                  .addPutItem(notes, fresh(note(address, user.getId(), null, null)))
                  .addDeleteItem(notes, free));
    }

    List<Note> everyNote() {
      return notes.scan(b -> b.consistentRead(true)).items().stream().toList();
    }
  }

  private static <T> List<T> atOnce(IntFunction<T> work) {
    ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
    try {
      List<Callable<T>> all = new ArrayList<>();
      IntStream.range(0, CLIENTS).forEach(number -> all.add(() -> work.apply(number)));
      List<T> results = new ArrayList<>();
      for (Future<T> future : threads.invokeAll(all)) {
        results.add(future.get());
      }
      return results;
    } catch (InterruptedException | ExecutionException e) {
      throw new AssertionError(e);
    } finally {
      threads.shutdown();
    }
  }

  @Test
  void transfersWithAuditRows() throws Exception {
    Town.with(
        town -> {
          List<String> names = IntStream.range(0, 6).mapToObj(n -> "account-" + n).toList();
          Map<String, Integer> expected = new HashMap<>();
          names.forEach(name -> expected.put(name, 500));
          names.forEach(name -> town.parties().putItem(party(name, 500, null)));
          List<Integer> done =
              atOnce(
                  number -> {
                    Random random = new Random(number);
                    int moved = 0;
                    for (int turn = 0; turn < 20; turn++) {
                      List<String> two = new ArrayList<>(names);
                      Collections.shuffle(two, random);
                      Note audit = note(number + "/" + turn, two.get(0), two.get(1), 1 + random.nextInt(400));
                      moved += town.transfer(audit) ? 1 : 0;
                      int sum = town.read(names).stream().mapToInt(Party::getBalance).sum();
                      assertEquals(names.size() * 500, sum);
                    }
                    return moved;
                  });
          List<Note> audits = town.everyNote();
          assertEquals(done.stream().mapToInt(Integer::intValue).sum(), audits.size());
          assertTrue(0 < audits.size() && audits.size() < CLIENTS * 20, () -> audits.size() + " transfers");
          for (Note audit : audits) {
            expected.merge(audit.getGiver(), -audit.getAmount(), Integer::sum);
            expected.merge(audit.getTaker(), audit.getAmount(), Integer::sum);
          }
          for (Party account : town.read(names)) {
            assertEquals(expected.get(account.getId()), account.getBalance());
            assertTrue(account.getBalance() >= 0);
          }
        });
  }

  @Test
  void anEmailAddressBelongsToOne() throws Exception {
    Town.with(
        town -> {
          List<String> wanted = IntStream.range(0, 5).mapToObj(n -> "fresh-" + n + "@example.com").toList();
          List<Party> users =
              atOnce(
                  number -> {
                    String id = "user-" + number;
                    String first = "u" + number + "@example.com";
                    assertEquals(
                        List.of(),
                        town.write(
                            b ->
                                b.addPutItem(town.parties(), party(id, null, first))
                                    .addPutItem(town.notes(), town.fresh(note(first, id, null, null)))));
                    for (String address : wanted) {
                      List<String> codes = List.of("TransactionConflict");
                      while (codes.contains("TransactionConflict")) {
                        codes = town.move(town.read(List.of(id)).get(0), address);
                      }
                      assertTrue(
                          codes.isEmpty() || codes.equals(List.of("None", "ConditionalCheckFailed", "None")),
                          codes::toString);
                    }
                    return town.read(List.of(id)).get(0);
                  });
          Map<String, String> owners = new HashMap<>();
          town.everyNote().forEach(note -> owners.put(note.getId(), note.getGiver()));
          assertEquals(CLIENTS, owners.size());
          users.forEach(user -> assertEquals(user.getId(), owners.get(user.getAddress())));
          assertTrue(users.stream().anyMatch(user -> wanted.contains(user.getAddress())));
          assertEquals(
              List.of("ConditionalCheckFailed", "ConditionalCheckFailed", "ConditionalCheckFailed"),
              town.move(stranger(), users.get(0).getAddress()));
        });
  }

  /** Somebody who is not stored, though the version says so. */
  private static Party stranger() {
    Party stranger = party("user-nobody", null, "nobody@example.com");
    stranger.setVersion(7L);
    return stranger;
  }
}
