// Writes the table of packages in docs/architecture.md from what each package.json says of itself. With `--check` it writes nothing and fails
// if what is there differs.
import { readFileSync, writeFileSync } from 'node:fs';
import { readRooms } from './rooms.mjs';

const PAGE = 'docs/architecture.md';
const [BEGIN, END] = ['<!-- packages -->', '<!-- end of packages -->'];

const nameOf = ({ name }) => `\`${name}\``;
const onFloors = readRooms()
  .filter(({ floor }) => floor !== undefined)
  .sort((a, b) => b.floor - a.floor || a.name.localeCompare(b.name));
const apart = readRooms().filter(({ floor }) => floor === undefined);
const rows = [
  ...onFloors.map(
    (room) =>
      `| ${room.floor} | ${nameOf(room)} | ${room.room} | ${room.io ? 'yes' : ''} | ${room.dependencies.join(', ')} |`,
  ),
  ...apart.map((room) => `| | ${nameOf(room)} | ${room.room} | ${room.io ? 'yes' : ''} | all of them |`),
];
const table = ['| floor | package | what it holds | I/O | imports |', '|---|---|---|---|---|', ...rows].join('\n');

const before = readFileSync(PAGE, 'utf8');
const [from, to] = [before.indexOf(BEGIN), before.indexOf(END)];
if (from < 0 || to < from) throw new Error(`${PAGE} lacks ${BEGIN} and ${END}`);
const after = `${before.slice(0, from)}${BEGIN}\n${table}\n${before.slice(to)}`;
if (!process.argv.includes('--check')) writeFileSync(PAGE, after);
else if (before !== after) {
  console.error(`${PAGE} is not what the package.json files say: make generate`);
  process.exit(1);
}
