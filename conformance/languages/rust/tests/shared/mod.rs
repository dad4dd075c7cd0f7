//! What the test files share: clients of the SDK and short names for values.

use std::collections::HashMap;

use aws_credential_types::Credentials;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::Region;
use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::types::AttributeValue;

pub type Item = HashMap<String, AttributeValue>;

pub fn client(endpoint: &str, key: &str, secret: &str, retries: RetryConfig) -> Client {
    let config = aws_sdk_dynamodb::Config::builder()
        .endpoint_url(endpoint)
        .region(Region::new("us-east-1"))
        .credentials_provider(Credentials::from_keys(key, secret, None))
        .retry_config(retries)
        .http_client(aws_smithy_http_client::Builder::new().build_http())
        .build();
    Client::from_conf(config)
}

pub fn text(value: &str) -> AttributeValue {
    AttributeValue::S(value.to_owned())
}
