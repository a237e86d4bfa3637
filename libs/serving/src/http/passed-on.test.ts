import { describe, expect, it } from 'vitest';
import { passedOn } from './passed-on.js';

describe('headers that go on', () => {
  it('are none of one hop, nor what the sender says to be such', () => {
    const headers = {
      connection: 'close, X-Own ,x-other',
      'keep-alive': 'timeout=5',
      'proxy-connection': 'keep-alive',
      'http2-settings': 'AAMAAABk',
      'x-own': '1',
      'x-other': '2',
      'x-third': '3',
    };
    expect(passedOn(headers)).toEqual({ 'x-third': '3' });
  });

  it('are still those by which a body is measured', () => {
    expect(passedOn({ connection: 'content-length', 'content-length': '2' })).toEqual({ 'content-length': '2' });
  });
});
