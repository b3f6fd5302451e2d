// Starts `flintc lsp` for the RustScript files of a workspace.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const vscode = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');

/** @type {LanguageClient | undefined} */
let client;

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

async function activate(context) {
  const restart = async () => {
    await stop();
    await start();
  };
  context.subscriptions.push(
    vscode.commands.registerCommand('rustscript.restartServer', restart),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('rustscript')) {
        void restart();
      }
    }),
  );
  await start();
}

module.exports = { activate, deactivate: stop };
