package main

var judging []attack
