# The function is none of Terraform's: a flag of the server names its URL.
resource "aws_lambda_event_source_mapping" "orders" {
  event_source_arn  = aws_dynamodb_table.orders.stream_arn
  function_name     = "ship-orders"
  starting_position = "TRIM_HORIZON"

  destination_config {
    on_failure {
      destination_arn = "arn:aws:sqs:us-east-1:000000000000:failures"
    }
  }
}
