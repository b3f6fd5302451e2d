// Runs the packed extension against a stand-in for the editor: it must start the workspace's flintc as a
// language server, restart and stop it, and say so when it does not start.
'use strict';

const assert = require('node:assert');
const fs = require('node:fs');
const Module = require('node:module');
const os = require('node:os');
const path = require('node:path');

const PACKED = path.resolve(__dirname, '..', 'dist', 'extension.js');
const FLINTC = path.resolve(__dirname, '..', '..', '..', '.venv', 'bin', 'flintc');

/** Whatever of the editor no test looks at: it has every member, and can be called and constructed. */
function anything() {
  const target = function () {};
  return new Proxy(target, {
    get(_, name) {
      if (name === 'prototype') {
        return target.prototype;
      }
      return name === 'then' ? undefined : anything();
    },
    apply: () => anything(),
    construct: () => anything(),
  });
}

/** An object with some members, where all others are anything; events are never fired. */
function partly(known) {
  const subscribe = () => ({ dispose() {} });
  return new Proxy(known, {
    get(_, name) {
      if (name in known) {
        return known[name];
      }
      return /^(on|register)/.test(String(name)) ? subscribe : anything();
    },
  });
}

/** The stand-in for the module `vscode`, and what the extension did with it. */
function editor(folder, settings) {
  const seen = { errors: [], log: [], commands: {}, change: undefined, moved: [] };
  const output = { append() {}, appendLine: (line) => seen.log.push(line), show() {}, dispose() {} };
  const uri = { fsPath: folder, toString: () => `file://${folder}` };
  const vscode = partly({
    workspace: partly({
      workspaceFolders: [{ uri, name: 'workspace', index: 0 }],
      textDocuments: [],
      notebookDocuments: [],
      getConfiguration: () => ({ get: (name) => settings[name], has: () => false }),
      onDidChangeConfiguration(listener) {
        seen.change ??= listener;
        return { dispose() {} };
      },
    }),
    window: partly({
      visibleTextEditors: [],
      tabGroups: partly({ all: [] }),
      createOutputChannel: () => output,
      showErrorMessage: async (text) => void seen.errors.push(text),
    }),
    commands: partly({
      registerCommand(name, action) {
        seen.commands[name] = action;
        return { dispose() {} };
      },
    }),
    debug: partly({
      onDidChangeBreakpoints(listener) {
        seen.breakpoints = listener;
        return { dispose() {} };
      },
      removeBreakpoints: (old) => seen.moved.push(...old.map((each) => each.location.range.start.line)),
      addBreakpoints: (added) => seen.moved.push(...added.map((each) => each.location.range.line)),
    }),
    Location: class {
      constructor(uri, range) {
        Object.assign(this, { uri, range });
      }
    },
    Position: class {
      constructor(line, character) {
        Object.assign(this, { line, character });
      }
    },
    SourceBreakpoint: class {
      constructor(location) {
        this.location = location;
      }
    },
    env: partly({ language: 'en', appName: 'stand-in' }),
    version: '1.90.0',
  });
  return [vscode, seen];
}

function load(vscode) {
  const original = Module._load;
  Module._load = (name, ...rest) => (name === 'vscode' ? vscode : original(name, ...rest));
  try {
    delete require.cache[PACKED];
    return require(PACKED);
  } finally {
    Module._load = original;
  }
}

/** Puts a flintc into the folder's `.venv` that notes how it is called, and is then the real one. */
function noting(folder, real) {
  const bin = path.join(folder, '.venv', 'bin');
  const notes = path.join(folder, 'notes');
  fs.mkdirSync(bin, { recursive: true });
  const script = `#!/bin/sh\necho "$PWD $*" >> '${notes}'\nexec '${real}' "$@"\n`;
  fs.writeFileSync(path.join(bin, 'flintc'), script, { mode: 0o755 });
  return () => fs.readFileSync(notes, 'utf8').trim().split('\n');
}

async function starts(folder, real) {
  const notes = noting(folder, real);
  const settings = { command: '', hosts: [] };
  const [vscode, seen] = editor(folder, settings);
  const extension = load(vscode);
  const activated = extension.activate({ subscriptions: [] });
  const restarted = seen.commands['rustscript.restartServer'](); // while it is starting
  await activated;
  await restarted;
  fs.writeFileSync(path.join(folder, 'ops.py'), 'def half(x: float) -> float:\n    return x / 2\n');
  settings.hosts = ['ops'];
  seen.change({ affectsConfiguration: (name) => name === 'rustscript' });
  await extension.deactivate();
  await extension.deactivate();
  assert.deepStrictEqual(seen.errors, [], seen.log.join('\n'));
  const calls = [`${folder} lsp`, `${folder} lsp`, `${folder} lsp --host ops`];
  assert.deepStrictEqual(notes(), calls);
}

/** Breakpoints on a comment and on code, in a file that is not open. */
async function moves(folder, real) {
  noting(folder, real);
  const script = path.join(folder, 'main.rss');
  fs.writeFileSync(script, '// a comment\nlet n = 1;\nprint(n);\n');
  const [vscode, seen] = editor(folder, { command: '', hosts: [] });
  const extension = load(vscode);
  await extension.activate({ subscriptions: [] });
  const uri = { path: script, toString: () => `file://${script}` };
  const at = (line) => ({ location: { uri, range: { start: { line } } } });
  await seen.breakpoints({ added: [at(0), at(2)] });
  assert.deepStrictEqual(seen.moved, [0, 1]);
  await extension.deactivate();
}

async function says(folder) {
  const [vscode, seen] = editor(folder, { command: path.join(folder, 'missing'), hosts: [] });
  const extension = load(vscode);
  await extension.activate({ subscriptions: [] });
  assert.match(seen.errors.join('\n'), /pip install 'flintc\[lsp\]'/);
  await extension.deactivate();
}

async function main() {
  const real = process.argv[2] ?? FLINTC;
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'rustscript-')));
  try {
    await starts(folder, real);
    await moves(folder, real);
    await says(folder);
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
  console.log('the packed extension starts, restarts and stops the language server');
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
