//! Faults on demand, as the SDK meets them: typed errors, attempts, lost answers, batches, broken answers, streams.

mod fault_rules;
mod shared;

use std::time::Duration;

use aws_credential_types::Credentials;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::Region;
use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::operation::get_item::GetItemError;
use aws_sdk_dynamodb::operation::put_item::PutItemError;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::types::{AttributeValue, KeysAndAttributes, Put, PutRequest, TransactWriteItem, Update, WriteRequest};
use aws_sdk_dynamodbstreams::types::ShardIteratorType;

use fault_rules::{Fault, endpoint, once, retrying, with_table};
use shared::{Item, text};

fn item(key: &str) -> Item {
    Item::from([("pk".to_owned(), text(key))])
}

fn number(value: &str) -> AttributeValue {
    AttributeValue::N(value.to_owned())
}

async fn put(client: &Client, table: &str, key: &str) -> Result<(), SdkError<PutItemError>> {
    client.put_item().table_name(table).set_item(Some(item(key))).send().await.map(|_| ())
}

async fn get(client: &Client, table: &str, key: &str) -> Result<Option<Item>, SdkError<GetItemError>> {
    let request = client.get_item().table_name(table).set_key(Some(item(key))).consistent_read(true);
    request.send().await.map(|answer| answer.item)
}

/// Adds one to the item n, in a transaction of one action.
async fn add_one(client: &Client, table: &str, token: Option<&str>) -> Result<(), TransactWriteItemsError> {
    let update = Update::builder()
        .table_name(table)
        .set_key(Some(item("n")))
        .update_expression("ADD n :one")
        .expression_attribute_values(":one", number("1"))
        .build()
        .expect("an update");
    let action = TransactWriteItem::builder().update(update).build();
    let request = client.transact_write_items().transact_items(action);
    let sent = request.set_client_request_token(token.map(str::to_owned)).send().await;
    sent.map(|_| ()).map_err(SdkError::into_service_error)
}

async fn sum(client: &Client, table: &str) -> Option<AttributeValue> {
    get(client, table, "n").await.expect("GetItem").and_then(|mut found| found.remove("n"))
}

#[test]
fn each_error_is_its_variant() {
    type Variant = fn(&PutItemError) -> bool;
    let variants: [(&str, Variant); 8] = [
        ("ConditionalCheckFailedException", PutItemError::is_conditional_check_failed_exception),
        ("InternalServerError", PutItemError::is_internal_server_error),
        ("ItemCollectionSizeLimitExceededException", PutItemError::is_item_collection_size_limit_exceeded_exception),
        ("ProvisionedThroughputExceededException", PutItemError::is_provisioned_throughput_exceeded_exception),
        ("RequestLimitExceeded", PutItemError::is_request_limit_exceeded),
        ("ResourceNotFoundException", PutItemError::is_resource_not_found_exception),
        ("ThrottlingException", PutItemError::is_throttling_exception),
        ("TransactionConflictException", PutItemError::is_transaction_conflict_exception),
    ];
    with_table(|table| async move {
        let client = once();
        for (name, is_it) in variants {
            let fault = Fault::new(&table, "{}", &format!(r#"{{"error":{{"type":"{name}","message":"told"}}}}"#));
            let error = put(&client, &table, "a").await.expect_err(name).into_service_error();
            assert!(is_it(&error), "{name}: {error:?}");
            assert_eq!(error.message(), Some("told"));
            assert_eq!(fault.fired(), 1, "{name}");
        }
    });
}

#[test]
fn the_first_attempt_of_each_call_fails() {
    with_table(|table| async move {
        let client = retrying();
        let fault = Fault::new(&table, r#"{"attempt":1}"#, r#"{"error":"InternalServerError"}"#);
        for key in 0..20 {
            put(&client, &table, &key.to_string()).await.expect("PutItem");
        }
        assert_eq!(fault.fired(), 20);
    });
}

#[test]
fn a_retry_after_a_lost_answer_meets_its_own_write() {
    with_table(|table| async move {
        let client = retrying();
        for how in ["fin", "rst"] {
            let effect = format!(r#"{{"drop":"after","how":"{how}"}}"#);
            let fault = Fault::new(&table, r#"{"attempt":1,"times":1}"#, &effect);
            let request = client.put_item().table_name(&table).set_item(Some(item(how)));
            let lost = request.condition_expression("attribute_not_exists(pk)").send().await;
            let error = lost.expect_err(how).into_service_error();
            assert!(error.is_conditional_check_failed_exception(), "{how}: {error:?}");
            assert_eq!(fault.fired(), 1, "{how}");
            assert_eq!(get(&client, &table, how).await.expect("GetItem"), Some(item(how)));
        }
        let fault = Fault::new(&table, r#"{"attempt":1,"times":1}"#, r#"{"drop":"before"}"#);
        put(&client, &table, "before").await.expect("PutItem");
        assert_eq!(fault.fired(), 1);
    });
}

#[test]
fn a_lost_transaction_is_applied_once_and_with_a_forgotten_token_twice() {
    with_table(|table| async move {
        let client = retrying();
        let fault = Fault::new(&table, r#"{"attempt":1,"times":1}"#, r#"{"drop":"after"}"#);
        add_one(&client, &table, None).await.expect("TransactWriteItems");
        assert_eq!(fault.fired(), 1);
        assert_eq!(sum(&client, &table).await, Some(number("1")));
        add_one(&client, &table, Some("token")).await.expect("TransactWriteItems");
        let forgotten = Fault::new(&table, "{}", r#"{"token":"forgotten"}"#);
        add_one(&client, &table, Some("token")).await.expect("TransactWriteItems");
        assert_eq!(forgotten.fired(), 1);
        drop((fault, forgotten));

        let single = once();
        let running = Fault::new(&table, "{}", r#"{"token":"running"}"#);
        let error = add_one(&single, &table, Some("token")).await.expect_err("running");
        assert!(error.is_transaction_in_progress_exception(), "{error:?}");
        drop(running);
        let _mismatch = Fault::new(&table, "{}", r#"{"token":"mismatch"}"#);
        let error = add_one(&single, &table, Some("token")).await.expect_err("mismatch");
        assert!(error.is_idempotent_parameter_mismatch_exception(), "{error:?}");
        assert_eq!(sum(&client, &table).await, Some(number("3")));
    });
}

#[test]
fn a_cancelled_transaction_has_the_reason_of_each_action() {
    with_table(|table| async move {
        let client = once();
        let effect = r#"{"cancel":{"1":"TransactionConflict","2":"ThrottlingError"}}"#;
        let fault = Fault::new(&table, "{}", effect);
        let mut request = client.transact_write_items();
        for key in ["a", "b", "c"] {
            let put = Put::builder().table_name(&table).set_item(Some(item(key))).build().expect("a put");
            request = request.transact_items(TransactWriteItem::builder().put(put).build());
        }
        let error = request.send().await.expect_err("a cancellation").into_service_error();
        let TransactWriteItemsError::TransactionCanceledException(cancelled) = error else { panic!("{error:?}") };
        let codes: Vec<_> = cancelled.cancellation_reasons().iter().map(|reason| reason.code()).collect();
        assert_eq!(codes, [Some("None"), Some("TransactionConflict"), Some("ThrottlingError")]);
        assert_eq!(fault.fired(), 1);
        assert_eq!(get(&client, &table, "a").await.expect("GetItem"), None);
    });
}

#[test]
fn parts_of_batches_are_left() {
    with_table(|table| async move {
        let client = once();
        let keys = ["a", "b", "c", "d"].map(item);
        let writes = keys.clone().map(|key| {
            let put = PutRequest::builder().set_item(Some(key)).build().expect("a put");
            WriteRequest::builder().put_request(put).build()
        });
        let some = Fault::new(&table, "{}", r#"{"unprocessed":[0,2]}"#);
        let write = client.batch_write_item().request_items(&table, writes.to_vec());
        let wrote = write.clone().send().await.expect("BatchWriteItem");
        assert_eq!(wrote.unprocessed_items.expect("items")[&table], [writes[0].clone(), writes[2].clone()]);
        let read = KeysAndAttributes::builder().set_keys(Some(keys.to_vec())).build().expect("keys");
        let got = client.batch_get_item().request_items(&table, read).send().await.expect("BatchGetItem");
        assert_eq!(got.unprocessed_keys.expect("keys")[&table].keys, [keys[0].clone(), keys[2].clone()]);
        assert_eq!(got.responses.expect("responses")[&table].len(), 2);
        drop(some);
        let _all = Fault::new(&table, "{}", r#"{"unprocessed":{"fraction":1}}"#);
        let error = write.send().await.expect_err("all are left").into_service_error();
        assert!(error.is_provisioned_throughput_exceeded_exception(), "{error:?}");
    });
}

#[test]
fn a_paginator_finds_all_items_after_pages_without_any() {
    with_table(|table| async move {
        let client = once();
        for key in 0..10 {
            put(&client, &table, &key.to_string()).await.expect("PutItem");
        }
        let fault = Fault::new(&table, r#"{"every":2}"#, r#"{"page":{"items":0}}"#);
        let scan = client.scan().table_name(&table).limit(3).filter_expression("pk > :p");
        let mut pages = scan.expression_attribute_values(":p", text("4")).into_paginator().items().send();
        let mut found = 0;
        while let Some(item) = pages.next().await {
            item.expect("an item");
            found += 1;
        }
        assert_eq!(found, 5);
        assert!(fault.fired() > 0);
    });
}

#[test]
fn a_stale_read_is_eventual() {
    with_table(|table| async move {
        let client = once();
        add_one(&client, &table, None).await.expect("TransactWriteItems");
        let fault = Fault::new(&table, "{}", r#"{"stale":"1h"}"#);
        add_one(&client, &table, None).await.expect("TransactWriteItems");
        let read = client.get_item().table_name(&table).set_key(Some(item("n"))).send().await.expect("GetItem");
        assert_eq!(read.item.expect("an item")["n"], number("1"));
        assert_eq!(sum(&client, &table).await, Some(number("2")));
        assert_eq!(fault.fired(), 1);
    });
}

// This SDK does not look at the sum of an answer.
#[test]
fn no_broken_answer_lets_a_call_hang() {
    with_table(|table| async move {
        let client = once();
        put(&client, &table, "a").await.expect("PutItem");
        for how in ["crc", "cut", "empty", "json"] {
            let fault = Fault::new(&table, "{}", &format!(r#"{{"corrupt":"{how}"}}"#));
            let outcome = tokio::time::timeout(Duration::from_secs(60), get(&client, &table, "a")).await;
            let answer = outcome.unwrap_or_else(|_| panic!("{how}: the call hangs"));
            if how == "crc" {
                assert_eq!(answer.expect(how), Some(item("a")));
            } else if how != "empty" {
                assert!(answer.is_err(), "{how}: {answer:?}");
            }
            assert_eq!(fault.fired(), 1, "{how}");
        }
    });
}

#[test]
fn answers_come_late_and_in_pieces_and_from_a_proxy() {
    with_table(|table| async move {
        let client = retrying();
        put(&client, &table, "a").await.expect("PutItem");
        for effect in [
            r#"{"delay":"20ms"}"#,
            r#"{"drip":{"bytes":4,"every":"1ms"}}"#,
            r#"{"http":{"status":503,"body":"<html>"}}"#,
        ] {
            let fault = Fault::new(&table, r#"{"times":1}"#, effect);
            assert_eq!(get(&client, &table, "a").await.expect(effect), Some(item("a")));
            assert_eq!(fault.fired(), 1, "{effect}");
        }
    });
}

fn streams() -> aws_sdk_dynamodbstreams::Client {
    let config = aws_sdk_dynamodbstreams::Config::builder()
        .endpoint_url(endpoint())
        .region(Region::new("us-east-1"))
        .credentials_provider(Credentials::from_keys("conformance", "conformance", None))
        .retry_config(RetryConfig::disabled())
        .http_client(aws_smithy_http_client::Builder::new().build_http())
        .build();
    aws_sdk_dynamodbstreams::Client::from_conf(config)
}

#[test]
fn an_iterator_is_lost() {
    with_table(|table| async move {
        let streams = streams();
        let about = once().describe_table().table_name(&table).send().await.expect("DescribeTable");
        let arn = about.table.and_then(|table| table.latest_stream_arn).expect("a stream");
        let stream = streams.describe_stream().stream_arn(&arn).send().await.expect("DescribeStream");
        let shards = stream.stream_description.and_then(|stream| stream.shards).expect("shards");
        let request = streams.get_shard_iterator().stream_arn(&arn).set_shard_id(shards[0].shard_id.clone());
        let got = request.shard_iterator_type(ShardIteratorType::TrimHorizon).send().await.expect("GetShardIterator");
        let records = streams.get_records().set_shard_iterator(got.shard_iterator);

        let expired = Fault::new(&table, "{}", r#"{"stream":"expired"}"#);
        let error = records.clone().send().await.expect_err("expired").into_service_error();
        assert!(error.is_expired_iterator_exception(), "{error:?}");
        drop(expired);
        let trimmed = Fault::new(&table, "{}", r#"{"stream":"trimmed"}"#);
        let error = records.clone().send().await.expect_err("trimmed").into_service_error();
        assert!(error.is_trimmed_data_access_exception(), "{error:?}");
        drop(trimmed);
        records.send().await.expect("GetRecords");
    });
}
