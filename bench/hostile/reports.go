package main

var reports []attack
