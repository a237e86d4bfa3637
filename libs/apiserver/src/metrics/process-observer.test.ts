import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensurePki } from '@orch/authentication';
import { namesOf } from '@orch/machinery';
import { Metrics } from '@orch/runtime';
import { expect, test } from 'vitest';
import { certificateObserver } from './process-observer.js';

test('a bundle is told of by the certificate that ends first, wherever it stands', async () => {
  const certDir = mkdtempSync(join(tmpdir(), 'orch-pki-'));
  try {
    const { ca, serving } = await ensurePki({
      certDir,
      bindAddress: '127.0.0.1',
      names: namesOf('orch'),
      now: () => 0,
    });
    const metrics = new Metrics();
    certificateObserver(metrics)({
      long: ca.cert,
      'long-first': ca.cert + serving.cert,
      'short-first': serving.cert + ca.cert,
    });
    const { body } = await metrics.text();
    const ends = (name: string) => Number(new RegExp(`certificate="${name}"\\} (\\d+)`).exec(body)?.[1]);
    expect(ends('long-first')).toBeLessThan(ends('long'));
    expect(ends('short-first')).toBe(ends('long-first'));
  } finally {
    rmSync(certDir, { recursive: true });
  }
});
