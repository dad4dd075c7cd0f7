resource "aws_dynamodb_table" "albums" {
  name             = "Albums"
  billing_mode     = "PROVISIONED"
  read_capacity    = 5
  write_capacity   = 6
  hash_key         = "Artist"
  range_key        = "Title"
  stream_enabled   = true
  stream_view_type = "NEW_AND_OLD_IMAGES"

  attribute {
    name = "Artist"
    type = "S"
  }
  attribute {
    name = "Title"
    type = "S"
  }
  attribute {
    name = "Year"
    type = "N"
  }

  global_secondary_index {
    name               = "ByYear"
    hash_key           = "Year"
    range_key          = "Title"
    projection_type    = "INCLUDE"
    non_key_attributes = ["Label", "Price"]
    read_capacity      = 2
    write_capacity     = 3
  }
  local_secondary_index {
    name            = "ByArtistAndYear"
    range_key       = "Year"
    projection_type = "KEYS_ONLY"
  }

  ttl {
    attribute_name = "Expires"
    enabled        = true
  }
  server_side_encryption {
    enabled = true
  }
  point_in_time_recovery {
    enabled = true
  }
  tags = {
    Team  = "music"
    Stage = "test"
  }
}

resource "aws_dynamodb_table_item" "blue" {
  table_name = aws_dynamodb_table.albums.name
  hash_key   = aws_dynamodb_table.albums.hash_key
  range_key  = aws_dynamodb_table.albums.range_key
  item = jsonencode({
    Artist = { S = "Joni Mitchell" }
    Title  = { S = "Blue" }
    Year   = { N = "1971" }
    Sides  = { L = [{ M = { Songs = { N = "5" } } }, { NULL = true }] }
  })
}

resource "aws_dynamodb_table" "sessions" {
  name         = "Sessions"
  billing_mode = "PAY_PER_REQUEST"
  hash_key     = "Token"

  attribute {
    name = "Token"
    type = "B"
  }
  tags = {
    Owner = "login"
  }
}

resource "aws_dynamodb_table" "counters" {
  name           = "Counters"
  read_capacity  = 1
  write_capacity = 2
  hash_key       = "Name"

  attribute {
    name = "Name"
    type = "S"
  }
}

data "aws_dynamodb_table" "sessions" {
  name = aws_dynamodb_table.sessions.name
}

output "sessions_hash_key" {
  value = data.aws_dynamodb_table.sessions.hash_key
}
