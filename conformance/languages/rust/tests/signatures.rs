//! Servers that verify signatures serve the SDK, whatever its values are, and refuse a wrong secret.

mod shared;

use std::collections::HashMap;
use std::env;
use std::fmt::Debug;
use std::future::Future;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::types::{
    AttributeDefinition, BillingMode, KeySchemaElement, KeyType, KeysAndAttributes, PutRequest, ScalarAttributeType,
    WriteRequest,
};

use shared::{Item, text};

const TABLE: &str = "rust_signatures";
const PARTITION: &str = "Björk – 日本 😀";

fn client(endpoint: &str, key: &str, secret: &str) -> Client {
    shared::client(endpoint, key, secret, RetryConfig::disabled())
}

/// Calls a test with the address of each server that verifies signatures.
fn each_server<Test, Run>(test: Test)
where
    Test: Fn(String) -> Run,
    Run: Future<Output = ()>,
{
    let endpoints = env::var("STATOR_SIGNED_ENDPOINTS").unwrap_or_default();
    if endpoints.is_empty() {
        println!("skipped: needs servers started by the test");
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    for endpoint in endpoints.split_whitespace() {
        runtime.block_on(test(endpoint.to_owned()));
    }
}

fn key(sort: &str) -> Item {
    HashMap::from([("pk".to_owned(), text(PARTITION)), ("sk".to_owned(), text(sort))])
}

fn item(sort: &str) -> Item {
    let mut made = key(sort);
    made.insert("text".to_owned(), text("naïve & \"ça\" = 100 %"));
    made
}

async fn make_table(client: &Client) {
    let mut request = client.create_table().table_name(TABLE).billing_mode(BillingMode::PayPerRequest);
    for (name, kind) in [("pk", KeyType::Hash), ("sk", KeyType::Range)] {
        let attribute = AttributeDefinition::builder().attribute_name(name).attribute_type(ScalarAttributeType::S);
        let element = KeySchemaElement::builder().attribute_name(name).key_type(kind);
        request = request
            .attribute_definitions(attribute.build().expect("an attribute"))
            .key_schema(element.build().expect("a key"));
    }
    request.send().await.expect("CreateTable");
}

#[test]
fn right_signatures() {
    let secret = env::var("STATOR_SIGNED_SECRET").unwrap_or_default();
    each_server(|endpoint| {
        let client = client(&endpoint, "AKIAROOT", &secret);
        async move {
            make_table(&client).await;
            let (one, two) = (item("Jóga"), item("ⅷ"));
            client.put_item().table_name(TABLE).set_item(Some(one.clone())).send().await.expect("PutItem");
            let put = PutRequest::builder().set_item(Some(two.clone())).build().expect("a put");
            let write = WriteRequest::builder().put_request(put).build();
            client.batch_write_item().request_items(TABLE, vec![write]).send().await.expect("BatchWriteItem");
            let got = client.get_item().table_name(TABLE).set_key(Some(key("Jóga"))).send().await.expect("GetItem");
            assert_eq!(got.item, Some(one.clone()));
            let found = client
                .query()
                .table_name(TABLE)
                .key_condition_expression("pk = :p")
                .expression_attribute_values(":p", text(PARTITION))
                .send()
                .await
                .expect("Query");
            assert_eq!(found.items, Some(vec![one.clone(), two]));
            let keys = KeysAndAttributes::builder().keys(key("Jóga")).build().expect("keys");
            let batch = client.batch_get_item().request_items(TABLE, keys).send().await.expect("BatchGetItem");
            assert_eq!(batch.responses.expect("responses")[TABLE], vec![one]);
            client.delete_table().table_name(TABLE).send().await.expect("DeleteTable");
        }
    });
}

fn code_of<Fault, Answer>(error: SdkError<Fault, Answer>) -> String
where
    Fault: ProvideErrorMetadata + Debug,
    Answer: Debug,
{
    match error.as_service_error() {
        Some(fault) => fault.code().unwrap_or("none").to_owned(),
        None => panic!("no answer of the server: {error:?}"),
    }
}

#[test]
fn wrong_signatures() {
    each_server(|endpoint| async move {
        for (key, code) in [("AKIAROOT", "InvalidSignatureException"), ("AKIAOTHER", "UnrecognizedClientException")] {
            let refused = client(&endpoint, key, "wrong").list_tables().send().await;
            assert_eq!(code_of(refused.expect_err("a wrong secret")), code);
        }
    });
}
