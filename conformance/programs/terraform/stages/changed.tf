# Albums: on demand, a second global index, no stream, no time to live, no recovery, other tags, no KMS key.
# The item gets other attributes. Sessions gets what Albums loses, and throughput; its stream waits for the next stage,
# as the service rejects both in one request, and the provider sends one.

# The provider disables time to live by the attribute's name, then reads it without a name, in the cloud too.
variable "disabled_attribute" {
  type    = string
  default = "Expires"
}

resource "aws_dynamodb_table" "albums" {
  name           = "Albums"
  billing_mode   = "PAY_PER_REQUEST"
  hash_key       = "Artist"
  range_key      = "Title"
  stream_enabled = false

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
    name               = "ByYear"
    hash_key           = "Year"
    range_key          = "Title"
    projection_type    = "INCLUDE"
    non_key_attributes = ["Label", "Price"]
  }
  global_secondary_index {
    name            = "ByLabel"
    hash_key        = "Label"
    projection_type = "ALL"
  }
  local_secondary_index {
    name            = "ByArtistAndYear"
    range_key       = "Year"
    projection_type = "KEYS_ONLY"
  }

  ttl {
    attribute_name = var.disabled_attribute
    enabled        = false
  }
  server_side_encryption {
    enabled = false
  }
  point_in_time_recovery {
    enabled = false
  }
  tags = {
    Stage = "production"
    Cost  = "42"
  }
}

resource "aws_dynamodb_table_item" "blue" {
  table_name = aws_dynamodb_table.albums.name
  hash_key   = aws_dynamodb_table.albums.hash_key
  range_key  = aws_dynamodb_table.albums.range_key
  item = jsonencode({
    Artist = { S = "Joni Mitchell" }
    Title  = { S = "Blue" }
    Label  = { S = "Reprise" }
    Year   = { N = "1971" }
    Sides  = { L = [{ NULL = true }] }
  })
}

resource "aws_dynamodb_table" "sessions" {
  name           = "Sessions"
  billing_mode   = "PROVISIONED"
  read_capacity  = 3
  write_capacity = 4
  hash_key       = "Token"

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
