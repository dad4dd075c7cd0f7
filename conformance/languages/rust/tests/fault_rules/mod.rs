//! Rules for faults of the server under test, and tables that live for one test.

use std::env;
use std::future::Future;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::types::{
    AttributeDefinition, BillingMode, KeySchemaElement, KeyType, ScalarAttributeType, StreamSpecification,
    StreamViewType,
};

use crate::shared;

pub fn endpoint() -> String {
    env::var("STATOR_ENDPOINT").expect("STATOR_ENDPOINT is not set: start the tests with ./run")
}

/// Each call is one attempt.
pub fn once() -> Client {
    shared::client(&endpoint(), "conformance", "conformance", RetryConfig::disabled())
}

pub fn retrying() -> Client {
    let retries = RetryConfig::standard().with_max_attempts(3).with_initial_backoff(Duration::from_millis(1));
    shared::client(&endpoint(), "conformance", "conformance", retries)
}

/// Posts to the admin path of the server under test, or gets without a body. The status line comes first.
fn ask(path: &str, body: Option<&str>) -> String {
    let address = endpoint().trim_start_matches("http://").trim_end_matches('/').to_owned();
    let (method, body) = body.map_or(("GET", ""), |text| ("POST", text));
    let mut stream = TcpStream::connect(&address).expect("a connection");
    write!(
        stream,
        "{method} /_stator/{path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .expect("a request");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}

fn is_ok(answer: &str) -> bool {
    answer.starts_with("HTTP/1.1 200 ")
}

/// Requests to a table fail until this is dropped.
pub struct Fault {
    name: String,
}

impl Fault {
    /// `when` and `effect` are members of the rule, as JSON.
    pub fn new(table: &str, when: &str, effect: &str) -> Fault {
        let name = format!("fault-of-{table}");
        let rule =
            format!(r#"{{"name":"{name}","match":{{"table":"{table}"}},"when":{when},"effect":{effect}}}"#);
        let answer = ask("faults", Some(&rule));
        assert!(is_ok(&answer), "{rule}: {answer}");
        Fault { name }
    }

    pub fn fired(&self) -> u32 {
        let answer = ask(&format!("faults/{}", self.name), None);
        let count = answer.split("\"fired\":").nth(1).expect("a count");
        count.split(|c: char| !c.is_ascii_digit()).next().expect("digits").parse().expect("a number")
    }
}

impl Drop for Fault {
    fn drop(&mut self) {
        ask(&format!("faults/{}/remove", self.name), Some("{}"));
    }
}

async fn make_table(client: &Client, name: &str) {
    let attribute = AttributeDefinition::builder().attribute_name("pk").attribute_type(ScalarAttributeType::S);
    let key = KeySchemaElement::builder().attribute_name("pk").key_type(KeyType::Hash);
    let stream = StreamSpecification::builder().stream_enabled(true).stream_view_type(StreamViewType::NewImage);
    client
        .create_table()
        .table_name(name)
        .billing_mode(BillingMode::PayPerRequest)
        .attribute_definitions(attribute.build().expect("an attribute"))
        .key_schema(key.build().expect("a key"))
        .stream_specification(stream.build().expect("a stream"))
        .send()
        .await
        .expect("CreateTable");
}

/// Calls a test with the name of a table that lives as long as the test. Servers without faults skip the test.
pub fn with_table<Test, Run>(test: Test)
where
    Test: FnOnce(String) -> Run,
    Run: Future<Output = ()>,
{
    static MADE: AtomicU32 = AtomicU32::new(0);
    if !is_ok(&ask("faults", None)) {
        println!("skipped: this server has no faults");
        return;
    }
    let name = format!("rust-{}-{}", process::id(), MADE.fetch_add(1, Ordering::Relaxed));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        make_table(&once(), &name).await;
        test(name.clone()).await;
        once().delete_table().table_name(&name).send().await.expect("DeleteTable");
    });
}
