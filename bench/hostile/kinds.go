package main

var kinds []attack
