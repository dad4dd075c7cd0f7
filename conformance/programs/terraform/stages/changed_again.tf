# Albums: without its first global index, the second one with fewer attributes, a stream of another view, time to live
# by another attribute. The item gets another key. Sessions: a stream.
resource "aws_dynamodb_table" "albums" {
  name             = "Albums"
  billing_mode     = "PAY_PER_REQUEST"
  hash_key         = "Artist"
  range_key        = "Title"
  stream_enabled   = true
  stream_view_type = "OLD_IMAGE"

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
  attribute {
    name = "Label"
    type = "S"
  }

  global_secondary_index {
    name            = "ByLabel"
    hash_key        = "Label"
    projection_type = "KEYS_ONLY"
  }
  local_secondary_index {
    name            = "ByArtistAndYear"
    range_key       = "Year"
    projection_type = "KEYS_ONLY"
  }

  ttl {
    attribute_name = "GoneAt"
    enabled        = true
  }
}

resource "aws_dynamodb_table_item" "blue" {
  table_name = aws_dynamodb_table.albums.name
  hash_key   = aws_dynamodb_table.albums.hash_key
  range_key  = aws_dynamodb_table.albums.range_key
  item = jsonencode({
    Artist = { S = "Joni Mitchell" }
    Title  = { S = "Hejira" }
    Label  = { S = "Asylum" }
  })
}

resource "aws_dynamodb_table" "sessions" {
  name             = "Sessions"
  billing_mode     = "PROVISIONED"
  read_capacity    = 3
  write_capacity   = 4
  hash_key         = "Token"
  stream_enabled   = true
  stream_view_type = "KEYS_ONLY"

  attribute {
    name = "Token"
    type = "B"
  }

  ttl {
    attribute_name = "End"
    enabled        = true
  }
  server_side_encryption {
    enabled = true
  }
  point_in_time_recovery {
    enabled = true
  }
}

resource "aws_dynamodb_table" "counters" {
  name           = "Counters"
  read_capacity  = 5
  write_capacity = 1
  hash_key       = "Name"

  attribute {
    name = "Name"
    type = "S"
  }
}
