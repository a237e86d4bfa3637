// Checks of Headlamp's pages in a browser; see ../client-program.ts for what is printed.
// Usage: node checks.mjs KUBECONFIG, with the folder of the installation in HEADLAMP and a browser's path in CHROMIUM.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { startBackend } from './backend.mjs';

const { CHROMIUM, HEADLAMP } = process.env;
const WAIT_MS = 30_000;
const PODS = '/api/v1/namespaces/default/pods';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';

const { clusters, users } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const backend = await startBackend(`${HEADLAMP}/pages`, {
  url: clusters[0].cluster.server,
  ca: Buffer.from(clusters[0].cluster['certificate-authority-data'], 'base64'),
  token: users[0].user.token,
});
const puppeteer = (await import(pathToFileURL(createRequire(`${HEADLAMP}/`).resolve('puppeteer-core')).href)).default;
// As root there is no sandbox; it opens these pages alone.
const browser = await puppeteer.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] });

async function ask(method, path, body) {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${backend}/clusters/main${path}`, {
    method,
    headers,
    body: body && JSON.stringify(body),
  });
  return { status: answer.status, body: await answer.json() };
}

async function until(what, holds) {
  for (const deadline = Date.now() + WAIT_MS; !(await holds()); ) {
    assert.ok(Date.now() < deadline, `not within ${WAIT_MS} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** A page of the cluster: what it shows, and what can be done there. */
async function open(path) {
  const page = await browser.newPage();
  const errors = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  await page.setViewport({ width: 1500, height: 1000 });
  await page.goto(`${backend}/c/main/${path}`);
  const shows = async (text, is = true) => {
    const holds = (text, is) => document.body.innerText.includes(text) === is;
    await page.waitForFunction(holds, { timeout: WAIT_MS }, text, is).catch(async () => {
      const shown = await page.evaluate(() => document.body.innerText);
      assert.fail(`${is ? '' : 'no '}"${text}" was expected:\n${[shown, ...errors].join('\n')}`);
    });
  };
  const click = async (label, within = '') => {
    const found = `::-p-xpath(${within}//button[@aria-label="${label}" or normalize-space()="${label}"])`;
    await page
      .locator(found)
      .setTimeout(WAIT_MS)
      .click()
      .catch(async () => {
        const shown = await page.evaluate(() => document.body.innerText);
        assert.fail(`${label} cannot be clicked:\n${[shown, ...errors].join('\n')}`);
      });
  };
  return { page, shows, click };
}

const labels = { app: 'web' };
const spec = { containers: [{ name: 'c', image: 'i' }] };
const deployment = {
  ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' } },
  spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
};

const CHECKS = {
  async 'lists show what there is, and what comes'() {
    const { shows } = await open('pods');
    await shows('sessions');
    await ask('POST', PODS, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'another' }, spec });
    await shows('another');
    await ask('DELETE', `${PODS}/another`);
    await shows('another', false);
  },

  async 'YAML is shown, and applied'() {
    const { page, shows, click } = await open('pods/default/sessions');
    await click('Edit');
    // The other one is loaded from a public address.
    await page.locator('::-p-text(Use minimal editor)').setTimeout(WAIT_MS).click();
    const editor = await page.waitForSelector('textarea', { timeout: WAIT_MS });
    const yaml = await editor.evaluate(({ value }) => value);
    assert.match(yaml, /^ {2}name: sessions$/m);
    await editor.focus();
    await page.keyboard.down('Control');
    await page.keyboard.press('a');
    await page.keyboard.up('Control');
    await page.keyboard.sendCharacter(yaml.replace('metadata:\n', 'metadata:\n  labels:\n    edited: here\n'));
    await click('Save & Apply');
    await until('the label is there', async () => {
      const { body } = await ask('GET', `${PODS}/sessions`);
      return body.metadata.labels?.edited === 'here';
    });
    await shows('edited: here');
  },

  async 'logs, as they are written'() {
    const { shows, click } = await open('pods/default/sessions');
    await click('Show Logs');
    await shows('first');
    const path = `${PODS}/sessions/exec?command=log&command=second&stdout=1`;
    const socket = new WebSocket(`${backend.replace('http', 'ws')}/clusters/main${path}`, ['v4.channel.k8s.io']);
    await once(socket, 'close');
    await shows('second');
  },

  async 'a shell'() {
    const { page, shows, click } = await open('pods/default/sessions');
    await click('Terminal / Exec');
    await shows('ready>');
    await page.keyboard.type('hello\n');
    await shows('HELLO');
  },

  async scale() {
    assert.equal((await ask('POST', DEPLOYMENTS, deployment)).status, 201);
    const { click } = await open('deployments/default/web');
    await click('Scale');
    await click('Increment');
    await click('Increment');
    await click('Apply');
    await until('there are 3', async () => (await ask('GET', `${DEPLOYMENTS}/web`)).body.spec.replicas === 3);
  },

  async delete() {
    const { click } = await open('deployments/default/web');
    await click('Delete');
    await click('Delete', '//*[@role="dialog"]');
    await until('it is gone', async () => (await ask('GET', `${DEPLOYMENTS}/web`)).status === 404);
  },
};

for (const [check, run] of Object.entries(CHECKS)) {
  const error = await run().then(
    () => null,
    (error) => error.stack ?? String(error),
  );
  console.log(JSON.stringify({ check, error }));
}
await browser.close();
process.exit(0);
