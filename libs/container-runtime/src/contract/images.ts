import { describe, expect, it } from 'vitest';
import type { Rig } from './rig.js';

/** Describes images and the runtime itself. */
export function describeImages(rig: Rig): void {
  describe('an image', () => {
    it('is found by its name and its id', async () => {
      const { runtime, under } = rig;
      const found = await runtime.imageStatus(under.image);
      expect(found).toMatchObject({ id: expect.stringMatching(/^sha256:/), repoTags: [under.image], pinned: false });
      expect(found?.size).toBeGreaterThan(0);
      expect(await runtime.imageStatus(found?.id ?? '')).toEqual(found);
      expect(await runtime.listImages()).toContainEqual(found);
      expect(await runtime.listImages(under.image)).toEqual([found]);
    });

    it('that is not there is undefined, and can be removed', async () => {
      expect(await rig.runtime.imageStatus('localhost/none:1')).toBeUndefined();
      expect(await rig.runtime.listImages('localhost/none:1')).toEqual([]);
      await rig.runtime.removeImage('localhost/none:1');
    });

    it('that no registry has cannot be pulled', async () => {
      await expect(rig.runtime.pullImage({ image: 'localhost:1/none:1' })).rejects.toMatchObject({
        name: 'RuntimeError',
      });
    });
  });

  describe('a runtime', () => {
    it('says what it is, and that it is ready', async () => {
      expect(await rig.runtime.version()).toEqual({
        name: expect.stringMatching(/^[a-z-]+$/),
        version: expect.stringMatching(/\d/),
        apiVersion: 'v1',
      });
      const conditions = new Map((await rig.runtime.conditions()).map(({ type, status }) => [type, status]));
      expect([conditions.get('RuntimeReady'), conditions.get('NetworkReady')]).toEqual([true, true]);
    });

    it('measures the file systems of its images', async () => {
      for (const { usedBytes, mountpoint } of await rig.runtime.imageFilesystems()) {
        expect(usedBytes).toBeGreaterThanOrEqual(0);
        expect(mountpoint).toMatch(/^\//);
      }
    });
  });
}
