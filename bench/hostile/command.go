package main

var command []attack
