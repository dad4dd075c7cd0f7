module stator/conformance/gocloud

go 1.26

require gocloud.dev v0.49.0
