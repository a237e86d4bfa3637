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

  it('are no tokens among the subprotocols, whatever the naming', () => {
    const offering = (value: string) => passedOn({ 'sec-websocket-protocol': value });
    const token = 'base64url.bearer.authorization.k8s.io.eA';
    expect(offering(`${token}, v4.channel.k8s.io,v5`)).toEqual({ 'sec-websocket-protocol': 'v4.channel.k8s.io, v5' });
    expect(offering(`v4,Base64url.bearer.other.eA`)).toEqual({ 'sec-websocket-protocol': 'v4' });
    expect(offering(`${token},${token}`)).toEqual({});
    expect(offering('a,b')).toEqual({ 'sec-websocket-protocol': 'a,b' });
  });

  it('are still those by which a body is measured', () => {
    expect(passedOn({ connection: 'content-length', 'content-length': '2' })).toEqual({ 'content-length': '2' });
  });
});
