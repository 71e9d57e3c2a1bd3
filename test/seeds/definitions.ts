/**
 * A piece of source in each language of `--language`; § stands where a definition or heading begins, with the comments and decorators
 * that belong to it.
 */
const C = `#include <stdio.h>

§/* Adds. */
static int add(int a, int b)
{
  return a + b;
}

§int main(void)
{
  return add(1, 2);
}
`;

const ECMA = `import x from 'x';

§/** Turns. */
export async function turn(n) {
  return n;
}

§export default class Wheel {
  spokes = 8;
}
`;

export const DEFINITIONS: Readonly<Record<string, string>> = {
  c: C,
  cpp: C,
  js: ECMA,
  ts: ECMA,
  go: `package mill

§// turn turns.
func turn(n int) int {
	return n
}

§type Wheel struct {
	n int
}
`,
  java: `package mill;

§/** A wheel. */
@Service
public final class Wheel {
  int n;
}

§interface Turns {
  void turn();
}
`,
  kotlin: `package mill

§@Serializable
data class Wheel(val n: Int)

§suspend fun turn(n: Int): Int {
  return n
}
`,
  scala: `package mill

§/** A wheel. */
case class Wheel(n: Int)

§object Mill {
  val n = 1
}
`,
  php: `<?php

§/** Turns. */
function turn($n) {
  return $n;
}

§final class Wheel {
  public $n;
}
`,
  proto: `syntax = "proto3";

§// A wheel.
message Wheel {
  int32 n = 1;
}

§service Mill {
  rpc Turn(Wheel) returns (Wheel);
}
`,
  python: `import x

§# Turns.
@cached
async def turn(n):
    return n

§class Wheel:
    n = 1
`,
  ruby: `require 'x'

§# Turns.
def turn(n)
  n
end

§class Wheel
  attr :n
end
`,
  rust: `use std::fmt;

§/// Turns.
#[inline]
pub async fn turn(n: u8) -> u8 {
    n
}

§pub struct Wheel {
    n: u8,
}
`,
  swift: `import Foundation

§/// Turns.
public func turn(n: Int) -> Int {
  return n
}

§struct Wheel {
  let n: Int
}
`,
  sol: `pragma solidity ^0.8.0;

§/// A mill.
contract Mill {
  uint n;
}

§interface Turns {
  function n() external;
}
`,
  csharp: `using System;

§/// <summary>A wheel.</summary>
[Serializable]
public sealed class Wheel {
  int n;
}

§internal interface ITurns {
  int N { get; }
}
`,
  lua: `local x = require('x')

§-- Turns.
local function turn(n)
  return n
end

§function wheel.stop()
  return 0
end
`,
  perl: `use strict;

§# Turns.
sub turn {
  return shift;
}

§sub stop {
  return 0;
}
`,
  haskell: `module Mill where

§-- | Turns.
turn :: Int -> Int
turn n = n + 1

§data Wheel = Wheel
  { spokes :: Int
  }
`,
  elixir: `import X

§@doc "Turns."
def turn(n) do
  n
end

§defmodule Wheel do
  @n 1
end
`,
  powershell: `using module x

§# Turns.
function Invoke-Turn {
  return 1
}

§class Wheel {
  [int] $n
}
`,
  cobol: `       IDENTIFICATION DIVISION.
       PROGRAM-ID. MILL.

§       PROCEDURE DIVISION.
           DISPLAY "TURN".
           STOP RUN.
`,
  markdown: `First.

§# Mill

Text of it.

§## Wheel

More of it.
`,
  rst: `First.

§Mill
====

Text of it.

§Wheel
-----

More of it.
`,
  latex: `\\documentclass{book}

§\\section{Mill}

Text of it.

§\\subsection{Wheel}

More of it.
`,
  html: `<p>First.</p>

§<h1>Mill</h1>
<p>Text of it.</p>

§<h2>Wheel</h2>
<p>More of it.</p>
`,
};
