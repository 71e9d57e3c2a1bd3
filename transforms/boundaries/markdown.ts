/**
 * Where headings of Markdown begin, but for those that stand in a fenced block of code. Whether the view itself begins within one
 * cannot be seen: until the next fence that says so (by its info string) such text is taken for what it looks like.
 */
import type { Cut, Level } from '../../src/types.js';

/** A fence with its info string, the marks of a heading, the line under one, or a rule. */
const LINE =
  /^ {0,3}(?:(`{3,}|~{3,})([^\n`]*)|(#{1,6})(?=[ \t]|$)|(=+|-+)[ \t]*$|(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$)/gmu;

/** Finer than all headings: a rule. */
const RULE = 7;

/** Units past the last place that a line is looked at: enough for the marks it begins with. */
const LOOK_AHEAD = 256;

/** A level for each depth of heading, and one for rules. */
export function markdownLevels(): Level[] {
  return [1, 2, 3, 4, 5, 6, RULE].map((depth) => ({
    name: depth === RULE ? 'rule' : `heading ${depth}`,
    last(view, from, to) {
      let found: Cut | undefined;
      for (const heading of headings(view, to)) {
        if (heading.depth === depth && heading.at > from) found = { end: heading.at, next: heading.at };
      }
      return found;
    },
  }));
}

/** The headings that begin up to `to`. */
function* headings(view: string, to: number): Iterable<{ readonly at: number; readonly depth: number }> {
  let fence = '';
  for (const match of view.slice(0, to + LOOK_AHEAD).matchAll(LINE)) {
    const [, marks, info = '', signs, underline] = match;
    if (marks !== undefined) fence = fenceAfter(fence, marks, info);
    else if (fence !== '') continue;
    else if (signs !== undefined) {
      if (match.index <= to) yield { at: match.index, depth: signs.length };
    } else if (underline === undefined) {
      if (match.index <= to) yield { at: match.index, depth: RULE };
    } else {
      const title = lineBefore(view, match.index);
      const isTitle = title.text !== '' && (title.at === 0 || lineBefore(view, title.at).text === '');
      if (isTitle && title.at <= to) yield { at: title.at, depth: underline.startsWith('=') ? 1 : 2 };
      else if (title.text === '' && underline.startsWith('---') && match.index <= to) yield { at: match.index, depth: RULE };
    }
  }
}

/** The fence that is open after one, or none. */
function fenceAfter(open: string, marks: string, info: string): string {
  if (open === '') return marks;
  if (info.trim() !== '') return open[0] === marks[0] ? marks : open;
  return marks.startsWith(open) ? '' : open;
}

/** The line before the one that begins at `at`, without its white space. */
function lineBefore(view: string, at: number): { readonly at: number; readonly text: string } {
  const start = at < 2 ? 0 : view.lastIndexOf('\n', at - 2) + 1;
  return { at: start, text: view.slice(start, at).trim() };
}
