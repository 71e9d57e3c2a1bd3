/**
 * The presets of `--language`: for each, a piece of source in which bars stand where definitions and headings begin, with the
 * comments and decorators that belong to them; and the laws.
 */
import { describe, expect, it } from 'vitest';
import type { Level, Marks } from '../../../src/types.js';
import { LANGUAGES, languageLevels } from '../../../transforms/boundaries/languages.js';
import { recursive } from '../../../transforms/boundaries/recursive.js';
import { conformStrategy } from '../../conformance/strategy.js';

const NO_MARKS: Marks = { last: () => undefined, first: () => undefined };

const SOURCES: Readonly<Record<string, string>> = {
  c: `#include <stdio.h>

|/* Adds. */
static int add(int a, int b)
{
    if (a)
        return call(b);
}

|// A point.
struct point {
    int x;
};

|unsigned long
wide(const char *text)
{
}
`,
  cpp: `#include <map>
|template <typename T>
class Box : public Base {
public:
|    // Makes one.
    explicit Box(T value) : value_(value) {}
|    virtual ~Box() {
    }
};

|namespace mill {
|  inline bool Wheel::turns() const {
    for (auto x : xs) use(x);
  }
}
`,
  go: `package mill

|// Wheel turns.
// It has spokes.
type Wheel struct {
	n int
}

|func (w *Wheel) Turn(n int) error {
	if n > 0 {
	}
}
`,
  java: `package mill;

|/**
 * Grinds.
 */
@Service
@RequestMapping(
    path = "/mill"
)
public final class Mill<T> extends House {
|    @Override
    public List<String> names(int count) throws IOException {
        if (x) {
            call(y);
        }
        return new Foo(1);
    }

|    Mill(int a) {
    }
}
|interface Wheel {
}
`,
  kotlin: `package mill

|@Serializable
data class Grain(val kind: String)

|suspend fun grind(grain: Grain): Flour {
    when (grain) {
    }
}
|object Mill {
|    private inline fun <T> each(f: (T) -> Unit) {
    }
}
`,
  js: `'use strict';

|/** Grinds. */
export async function grind(grain) {
  if (grain) {
    call();
  }
}

|export default class Mill extends House {
|  static #count() {
  }

|  async turn(n) {
    for (const x of n) {
    }
  }
}

|const wheel = () => {
  const inner = 1;
};
`,
  ts: `|import { a } from 'b';

|@Component({
  selector: 'mill',
})
export class Mill {
|  private async turn<T>(n: T): Promise<void> {
    while (n) {
    }
  }
}

|// A grain.
export interface Grain {
  kind: string;
}
|type Flour = Grain;
|declare global {
}
|abstract class House {
}
`,
  php: `|<?php
|namespace Mill;

|#[Route('/mill')]
final class Mill
{
|    /**
     * Turns.
     */
    public static function turn(int $n): void
    {
        foreach ($n as $x) {
        }
    }
}
|interface Wheel {}
`,
  proto: `syntax = "proto3";
|package mill;

|// A grain.
message Grain {
  string kind = 1;
|  enum Size {
    SMALL = 0;
  }
}

|service Mill {
|  rpc Grind (Grain) returns (Flour);
}
`,
  python: `import os

|# Grinds.
@decorated
@app.route(
    "/mill",
)
async def grind(grain):
    if grain:
        pass
    # the end

|class Mill(House):
|    @property
    def wheel(self):
        return 1

|    def turn(self):
|        def inner():
            pass


|if __name__ == "__main__":
    grind()
`,
  rst: `|====
Mill
====

A text.

|Wheel
=====

|Spokes
------

|.. code-block:: python

   x = 1
`,
  ruby: `require 'mill'

|# Grinds.
class Mill < House
|  # Turns.
  def turn(n)
    if n
    end
  end

|  private def wheel
  end
end

|module Wheel
end
`,
  rust: `|use std::fmt;

|/// A grain.
#[derive(Debug)]
pub(crate) struct Grain {
    kind: String,
}

|impl fmt::Display for Grain {
|    #[inline]
    pub async fn grind(&self) -> Flour {
        match self {
        }
    }
}

|#[cfg(test)]
mod tests {
}
|macro_rules! mill {
}
`,
  scala: `package mill

|/** A grain. */
case class Grain(kind: String)

|object Mill extends App {
|  override def turn(n: Int): Unit = {
    n match {
    }
  }
}
|sealed trait Wheel
`,
  swift: `|import Foundation

|/// A grain.
@objc
public final class Grain {
    private var kind: String
|    @discardableResult
    func grind() -> Flour {
        guard true else { return }
    }
|    init?(kind: String) {
    }
}
|extension Grain: Equatable {
}
`,
  markdown: `|# Mill

Text.

|## Wheel

\`\`\`python
# no heading
\`\`\`

|### Spokes

|Setext
======

- item
- item

|Other
-----

|* * *

~~~
# none
\`\`\`
# none
~~~
`,
  latex: `\\documentclass{book}
|\\begin{document}
|\\chapter{Mill}
Text.
|\\section*{Wheel}
|\\begin{itemize}
|  \\item One
\\end{itemize}
`,
  html: `<!doctype html>
<html>
|<head>|<title>Mill</title></head>
|<body>
|<h1>Mill</h1>
|<p>Text <b>bold</b></p>
|<ul>|<li>one</li>|<li>two</li></ul>
|<h2>Wheel</h2>
<header-like>no</header-like>
</body>
`,
  sol: `// SPDX
pragma solidity ^0.8.0;

|/// A mill.
abstract contract Mill is House {
|    event Turned(uint n);

|    /// Turns.
    function turn(uint n) public returns (bool) {
        if (n > 0) {
        }
    }

|    modifier onlyOwner() {
    }
}
`,
  csharp: `|using System;

|namespace Mill
{
|    /// <summary>A grain.</summary>
    [Serializable]
    public sealed class Grain : House
    {
|        [Obsolete]
        protected override async Task<int> Grind(int n)
        {
            foreach (var x in n)
            {
                Call(x);
            }
            return new Foo(1);
        }
    }
}
`,
  cobol: `|       IDENTIFICATION DIVISION.
       PROGRAM-ID. MILL.
|       DATA DIVISION.
|       WORKING-STORAGE SECTION.
|       01  GRAIN PIC X(10).
|       PROCEDURE DIVISION.
|       MAIN-PART.
|           PERFORM GRIND-PART
           GOBACK.
|       GRIND-PART.
           DISPLAY GRAIN.
`,
  lua: `|local mill = {}

|-- Grinds.
function mill.grind(grain)
  if grain then
  end
end

|local function turn(n)
end

|mill.wheel = function()
end
|return mill
`,
  perl: `|package Mill;
|use strict;

|# Grinds.
sub grind {
    my ($grain) = @_;
    foreach my $x (1) {
    }
}

|=head1 NAME

Mill

=cut

|sub turn {
}
`,
  haskell: `|module Mill where

|import Data.List

|-- A grain.
data Grain = Grain
  { kind :: String }

|-- Grinds.
grind :: Grain -> Flour
grind g = case g of
  _ -> Flour

|instance Show Grain where
  show _ = ""
`,
  elixir: `|defmodule Mill do
  @moduledoc """
  A mill.
  """

|  @doc """
  Grinds.
  """
  @spec grind(grain) :: flour
  def grind(grain) do
    case grain do
    end
  end

|  defp turn(n), do: n
end
`,
  powershell: `|using namespace System

|<#
.SYNOPSIS
Grinds.
#>
function Invoke-Grind {
    if ($x) {
    }
}

|# A wheel.
class Wheel {
}
`,
};

/** Before what any text has, blocks within definitions left out. */
function boundariesOf(language: string): Level[] {
  const levels = languageLevels(language);
  const plain = levels.findIndex(({ name }) => name === 'paragraph');
  return levels.slice(0, plain).filter(({ name }) => !name.endsWith('block'));
}

function marked(levels: readonly Level[], text: string): string {
  const places = new Set<number>();
  for (const level of levels) {
    for (let to = text.length; to > 0; ) {
      const cut = level.last(text, 0, to, NO_MARKS);
      if (cut === undefined) break;
      places.add(cut.end);
      to = cut.end - 1;
    }
  }
  return [...places].toSorted((a, b) => b - a).reduce((before, at) => `${before.slice(0, at)}|${before.slice(at)}`, text);
}

describe('definitions and headings', () => {
  it('are known in all 26 languages', () => {
    expect(LANGUAGES).toHaveLength(26);
    expect(Object.keys(SOURCES).filter((name) => !LANGUAGES.includes(name))).toEqual([]);
  });

  it.each(Object.entries(SOURCES))('begin chunks of %s', (language, source) => {
    const expected = source.replace(/^\|/, '');
    expect(marked(boundariesOf(language), expected.replaceAll('|', ''))).toBe(expected);
  });
});

it.each(LANGUAGES)('%s ends with paragraphs, lines and words', (language) => {
  const names = languageLevels(language).map(({ name }) => name);
  expect(names.filter((name) => ['paragraph', 'line', 'word'].includes(name))).toEqual(['paragraph', 'line', 'word']);
  expect(names.at(-1)).toBe('word');
});

conformStrategy(
  'a language',
  ['cobol', 'cpp', 'elixir', 'html', 'java', 'latex', 'markdown', 'python', 'rst', 'ts'].map((language) => ({
    strategy: recursive({ language }),
  })),
  {
    parts: [
      ...['\n', '\n\n', '    ', '}\n', '/* ', '*/\n', '})\n', '@Component({\n', '"""\n', '  @doc """\n', '// note\n', '# note\n'],
      ...[
        'def turn(x):\n',
        'export class Mill {\n',
        'int add(int a)\n',
        'if (x) {\n',
        '```\n',
        '====\n',
        '---\n',
        '<p>',
        '\\begin{',
      ],
    ],
  },
);
