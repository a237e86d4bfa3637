// Checks of the logs, commands and ports of a pod that is made up; ../../support/pod-sessions.ts says what it does.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';

const POD = 'sessions';
const CONTAINER = 'c';
const BYTES = 4 << 20;
const PIECE = 1 << 16;

const sum = (bytes) => createHash('sha256').update(bytes).digest('hex');

/** What a stream gives from now on, until there is so much of it. */
async function take(stream, length) {
  const pieces = [];
  for (let got = 0; got < length; ) {
    const piece = stream.read();
    if (piece === null) await once(stream, 'readable');
    else {
      pieces.push(piece);
      got += piece.length;
    }
  }
  return Buffer.concat(pieces);
}

/** The checks, by their names. They come last: what they leave open is looked for at the agent once the program has ended. */
export function connectingChecks({ k8s, config, core, namespace }) {
  const exec = new k8s.Exec(config);

  /** Runs a command to its end: outputs and Status. */
  async function run(command) {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const outputs = Promise.all([stdout.toArray(), stderr.toArray()]);
    const status = await new Promise((resolve, reject) => {
      exec.exec(namespace, POD, CONTAINER, command, stdout, stderr, null, false, resolve).catch(reject);
    });
    const [out, err] = (await outputs).map((pieces) => Buffer.concat(pieces).toString());
    return { out, err, status };
  }

  /** A command with an input, which is sent back; `end` ends the input alone where that has been agreed on. */
  async function open(command, stdout = new PassThrough(), tty = false) {
    const stdin = new PassThrough();
    let ended;
    const status = new Promise((resolve) => {
      ended = resolve;
    });
    const socket = await exec.exec(namespace, POD, CONTAINER, command, stdout, null, stdin, tty, ended);
    const end = async () => {
      stdin.end();
      if (socket.protocol === 'v5.channel.k8s.io') assert.equal((await status).status, 'Success');
      else await once(socket, 'close');
    };
    return { stdin, stdout, end };
  }

  return {
    async 'logs, whole and followed'() {
      assert.equal(await core.readNamespacedPodLog({ namespace, name: POD, tailLines: 2 }), 'first\n');
      const followed = new PassThrough();
      const controller = await new k8s.Log(config).log(namespace, POD, CONTAINER, followed, { follow: true });
      assert.equal(String(await take(followed, 6)), 'first\n');
      await run(['log', 'second']);
      assert.equal(String(await take(followed, 7)), 'second\n');
      controller.abort();
    },

    async 'exec: outputs, exit code, refusal'() {
      const said = await run(['echo', 'a b', 'ü']);
      assert.deepEqual([said.out, said.err, said.status.status], ['echo a b ü\n', '', 'Success']);
      const complained = await run(['complain', 'no']);
      assert.deepEqual([complained.out, complained.err], ['', 'no\n']);
      const { status } = await run(['exit', '7']);
      assert.deepEqual([status.reason, status.details.causes[0].message], ['NonZeroExitCode', '7']);
      const refused = exec.exec(namespace, POD, 'none', ['ls'], new PassThrough(), null, null, false);
      const { message } = await refused.catch((error) => error);
      assert.equal(message, 'Unexpected server response: 400');
    },

    async 'exec of some MB, both ways'() {
      const { stdin, stdout, end } = await open(['cat']);
      const bytes = randomBytes(BYTES);
      const back = take(stdout, BYTES);
      for (let at = 0; at < BYTES; at += PIECE) stdin.write(bytes.subarray(at, at + PIECE));
      assert.equal(sum(await back), sum(bytes));
      await end();
    },

    async 'exec in a terminal whose size changes'() {
      const terminal = Object.assign(new PassThrough(), { rows: 24, columns: 80 });
      const { stdout, end } = await open(['sizes'], terminal, true);
      for (const width of [80, 132]) {
        const size = { height: 24, width };
        if (width !== 80) Object.assign(terminal, { columns: width }).emit('resize');
        assert.deepEqual(JSON.parse(await take(stdout, JSON.stringify(size).length)), size);
      }
      await end();
    },

    async attach() {
      const [stdin, stdout] = [new PassThrough(), new PassThrough()];
      const attach = new k8s.Attach(config);
      const socket = await attach.attach(namespace, POD, CONTAINER, stdout, null, stdin, false);
      stdin.write('hello');
      assert.equal(String(await take(stdout, 5)), 'hello');
      stdin.end();
      await once(socket, 'close');
    },

    async 'port-forward of some MB, both ways'() {
      const [input, output, errors] = [new PassThrough(), new PassThrough(), new PassThrough()];
      const socket = await new k8s.PortForward(config).portForward(namespace, POD, [80], output, errors, input);
      const text = randomBytes(BYTES / 2).toString('hex');
      const back = take(output, BYTES);
      for (let at = 0; at < BYTES; at += PIECE) input.write(text.slice(at, at + PIECE));
      assert.equal(sum(await back), sum(text.toUpperCase()));
      assert.equal(errors.readableLength, 0);
      const closed = once(socket, 'close');
      // It has one channel to the port, and so nothing that ends it but the connection.
      input.end();
      await closed;
    },
  };
}
