terraform {
  required_providers {
    aws = { source = "hashicorp/aws" }
  }
}

variable "endpoint" {
  type = string
}

provider "aws" {
  region                      = "us-east-1"
  access_key                  = "local"
  secret_key                  = "local"
  skip_credentials_validation = true
  skip_metadata_api_check     = true
  skip_requesting_account_id  = true
  skip_get_ec2_platforms      = true
  endpoints {
    dynamodb = var.endpoint
    lambda   = var.endpoint
  }
}
