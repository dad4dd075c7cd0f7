# Each argument of the mapping changes that the provider knows and that can.
resource "aws_lambda_event_source_mapping" "orders" {
  event_source_arn                   = aws_dynamodb_table.orders.stream_arn
  function_name                      = "ship-orders"
  starting_position                  = "TRIM_HORIZON"
  enabled                            = false
  batch_size                         = 7
  maximum_batching_window_in_seconds = 3
  parallelization_factor             = 2
  maximum_retry_attempts             = 4
  maximum_record_age_in_seconds      = 120
  bisect_batch_on_function_error     = true

  destination_config {
    on_failure {
      destination_arn = "arn:aws:sns:us-east-1:000000000000:failures"
    }
  }
}
