import { expect, it } from 'vitest';
import { siteOf } from './client-site.js';

it.each([
  ['10.1.2.3', '10.1.2.3'],
  ['::ffff:10.1.2.3', '10.1.2.3'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2::6', '2001:db8:1:2'],
  ['2001:db8::1:2:3:4:5', '2001:db8:0:1'],
  ['2001:db8::6', '2001:db8:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['::1', '0:0:0:0'],
  ['::1:2:3:4:5:6', '0:0:1:2'],
  ['', ''],
])('the site of %j is %j', (address, site) => {
  expect(siteOf(address)).toBe(site);
});
