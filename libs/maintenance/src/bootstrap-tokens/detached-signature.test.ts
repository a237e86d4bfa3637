import { expect, test } from 'vitest';
import { detachedSignature } from './detached-signature.js';

const TEXT = 'Hello from the other side. I must have called a thousand times.';

// Vectors of the reference: k8s.io/cluster-bootstrap 0.27.16, token/jws/jws_test.go.
test.each([
  [TEXT, 'my voice is my passcode', 'VShe2taLd-YTrmWuRkcL_8QTNDHYxQIEBsAYYiIj1_8'],
  ['', 'my voice is my passcode', '7Ui1ALizW4jXphVUB7xUqC9vLYLL9RZeOFfVLoB7Tgk'],
  [TEXT, '', 'UfkqvDGiIFxrMnFseDj9LYJOLNrvjW8aHhF71mvvAs8'],
])('the signature of %j by %j', (text, secret, signature) => {
  expect(detachedSignature(text, 'joshua', secret)).toBe(`eyJhbGciOiJIUzI1NiIsImtpZCI6Impvc2h1YSJ9..${signature}`);
});
