//! The function for Rust. What it does stands in the event's first new item.

use std::time::Duration;

use lambda_runtime::{run, service_fn, Diagnostic, Error, LambdaEvent};
use serde_json::{json, Value};

async fn handle(event: LambdaEvent<Value>) -> Result<Value, Diagnostic> {
    let records = event.payload["Records"].as_array().cloned().unwrap_or_default();
    match records[0]["dynamodb"]["NewImage"]["how"]["S"].as_str() {
        Some("fail") => {
            return Err(Diagnostic { error_type: "Refused".into(), error_message: "no".into() })
        }
        Some("hang") => tokio::time::sleep(Duration::from_secs(60)).await,
        Some("second") => {
            let failures: Vec<Value> = records.iter().skip(1).take(1)
                .map(|record| json!({"itemIdentifier": record["dynamodb"]["SequenceNumber"]}))
                .collect();
            return Ok(json!({"batchItemFailures": failures}));
        }
        Some("long") => return Ok(Value::from("x".repeat(7_000_000))),
        _ => {}
    }
    println!("handles {} {}", records.len(), event.context.request_id);
    Ok(json!({"count": records.len()}))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    run(service_fn(handle)).await
}
