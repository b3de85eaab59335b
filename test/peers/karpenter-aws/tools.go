//go:build tools

// Package tools names what the suite imports, so that `go mod tidy` keeps what it needs.
package tools

import (
	_ "github.com/aws/karpenter-provider-aws/pkg/apis/v1"
	_ "github.com/aws/karpenter-provider-aws/pkg/operator/options"
	_ "github.com/aws/karpenter-provider-aws/pkg/test"
	_ "github.com/imdario/mergo"
	_ "github.com/onsi/ginkgo/v2"
	_ "github.com/onsi/gomega"
	_ "sigs.k8s.io/karpenter/pkg/test"
	_ "sigs.k8s.io/karpenter/pkg/test/expectations"
	_ "sigs.k8s.io/karpenter/pkg/test/v1alpha1"
	_ "sigs.k8s.io/karpenter/pkg/utils/testing"
)
