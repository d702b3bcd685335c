package main

var forms []attack
