terraform {
  required_providers {
    aws = { source = "hashicorp/aws" }
  }
}

variable "endpoint" {
  type = string
}

provider "aws" {
  region                  = "us-east-1"
  access_key              = "AKIATERRAFORM"
  secret_key              = "terraform-secret"
  skip_metadata_api_check = true
  skip_get_ec2_platforms  = true
  endpoints {
    dynamodb = var.endpoint
    sts      = var.endpoint
  }
}
