//go:build go1.21

package main

func process(fault string) {}
