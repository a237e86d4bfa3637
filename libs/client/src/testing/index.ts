export { answer, type Received, type Script, ScriptedServer } from './scripted-server.js';
