import { describe, expect, it } from 'vitest';
import { contextOf, embedded, NO_CONTEXT } from '../../src/context.js';
import { characters } from '../../src/tokens/units.js';

describe('a context', () => {
  it('is the parts that there are, a line each, and measures the blank line after it too', () => {
    expect(contextOf(['a,b', undefined, '$[0]'], characters, 100)).toEqual({ text: 'a,b\n$[0]', size: 10 });
    expect(contextOf([undefined, undefined], characters, 100)).toBe(NO_CONTEXT);
  });

  it('is left out when it takes more than half of the size', () => {
    expect(contextOf(['abc'], characters, 10).text).toBe('abc');
    expect(contextOf(['abc'], characters, 9)).toBe(NO_CONTEXT);
  });

  it('stands before the text, a blank line between', () => {
    expect([embedded('h', 't'), embedded('', 't')]).toEqual(['h\n\nt', 't']);
  });
});
