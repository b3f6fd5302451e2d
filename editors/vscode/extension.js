// Starts `flintc lsp` for the RustScript files of a workspace.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const vscode = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');

/** @type {LanguageClient | undefined} */
let client;

/** Tells the server of scripts that change on disk: open files may use them. */
let watcher;

/** Starts and stops, one after the other: a client that is starting cannot be stopped. */
let work = Promise.resolve();

function inTurn(...actions) {
  for (const action of actions) {
    work = work.then(action, action);
  }
  return work;
}

/** The configured `flintc`, that of the workspace's `.venv`, or the one on PATH. */
function flintc() {
  const configured = vscode.workspace.getConfiguration('rustscript').get('command');
  if (configured) {
    return configured;
  }
  const inside = process.platform === 'win32' ? ['Scripts', 'flintc.exe'] : ['bin', 'flintc'];
  for (const folder of vscode.workspace.workspaceFolders ?? []) {
    const candidate = path.join(folder.uri.fsPath, '.venv', ...inside);
    if (fs.existsSync(candidate)) {
      return candidate;
    }
  }
  return 'flintc';
}

async function start() {
  const hosts = vscode.workspace.getConfiguration('rustscript').get('hosts') ?? [];
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  const server = {
    command: flintc(),
    args: ['lsp', ...hosts.flatMap((host) => ['--host', host])],
    options: { cwd: folder },
  };
  client = new LanguageClient('rustscript', 'RustScript', server, {
    documentSelector: [{ language: 'rustscript' }],
    synchronize: { fileEvents: watcher },
  });
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    vscode.window.showErrorMessage(
      `The RustScript language server does not start: ${error.message}. It needs flintc with ` +
        "its extra (pip install 'flintc[lsp]'); the setting rustscript.command says where it is.",
    );
  }
}

async function stop() {
  const running = client;
  client = undefined;
  await running?.stop();
}

/** Moves new breakpoints from comments, empty lines and brackets to the next line with code. */
async function moveBreakpoints({ added }) {
  for (const breakpoint of added) {
    const { uri, range } = breakpoint.location ?? {};
    if (!client || !uri?.path.endsWith('.rss')) {
      continue;
    }
    const line = await client
      .sendRequest('rustscript/stopLine', {
        textDocument: { uri: client.code2ProtocolConverter.asUri(uri) },
        position: { line: range.start.line, character: 0 },
      })
      .catch(() => null);
    if (line !== null && line !== range.start.line) {
      const { enabled, condition, hitCondition, logMessage } = breakpoint;
      const place = new vscode.Location(uri, new vscode.Position(line, 0));
      vscode.debug.removeBreakpoints([breakpoint]);
      vscode.debug.addBreakpoints([
        new vscode.SourceBreakpoint(place, enabled, condition, hitCondition, logMessage),
      ]);
    }
  }
}

async function activate(context) {
  watcher = vscode.workspace.createFileSystemWatcher('**/*.rss');
  const restart = () => inTurn(stop, start);
  context.subscriptions.push(
    watcher,
    vscode.debug.onDidChangeBreakpoints(moveBreakpoints),
    vscode.commands.registerCommand('rustscript.restartServer', restart),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('rustscript')) {
        void restart();
      }
    }),
  );
  await inTurn(start);
}

module.exports = { activate, deactivate: () => inTurn(stop) };
