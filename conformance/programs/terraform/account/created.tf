data "aws_caller_identity" "me" {}

resource "aws_dynamodb_table" "albums" {
  name         = "Albums"
  billing_mode = "PAY_PER_REQUEST"
  hash_key     = "Artist"
  attribute {
    name = "Artist"
    type = "S"
  }
  tags = { team = "music" }
}

output "caller" {
  value = "${data.aws_caller_identity.me.account_id} ${data.aws_caller_identity.me.arn}"
}

output "table" {
  value = aws_dynamodb_table.albums.arn
}
