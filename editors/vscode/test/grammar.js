// Tokenises every script given by the folders on the command line; fails where a keyword, a string or a
// comment has no scope of its own.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const oniguruma = require('vscode-oniguruma');
const { INITIAL, Registry, parseRawGrammar } = require('vscode-textmate');

const ROOT = path.resolve(__dirname, '..', '..', '..');
const GRAMMAR = path.resolve(__dirname, '..', 'syntaxes', 'rustscript.tmLanguage.json');
const FOLDERS = ['scripts', 'flintc/stdlib'].map((name) => path.join(ROOT, name));
const WORDS = /^(pub|use|as|fn|struct|let|for|if|else|match|while|break|continue)$/;
const CONSTANTS = /^(true|false|null)$/;
const IS_WORD = /^(keyword|storage|constant\.language|comment|string|variable\.other\.property)/;

async function grammar() {
  const wasm = fs.readFileSync(require.resolve('vscode-oniguruma/release/onig.wasm')).buffer;
  await oniguruma.loadWASM(wasm);
  const registry = new Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async () => parseRawGrammar(fs.readFileSync(GRAMMAR, 'utf8'), GRAMMAR),
  });
  return registry.loadGrammar('source.rustscript');
}

function* scripts(folder) {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const inside = path.join(folder, entry.name);
    if (entry.isDirectory()) {
      yield* scripts(inside);
    } else if (entry.name.endsWith('.rss')) {
      yield inside;
    }
  }
}

/** What is wrong with one token: its text has no scope, or a keyword has a name's. */
function fault(text, scopes) {
  const scope = scopes.at(-1);
  if (text.trim() && scopes.length === 1) {
    return 'has no scope';
  }
  const word = text.trim();
  return (WORDS.test(word) || CONSTANTS.test(word)) && !IS_WORD.test(scope) ? `is ${scope}` : null;
}

async function main() {
  const loaded = await grammar();
  let tokens = 0;
  const faults = [];
  for (const file of FOLDERS.flatMap((folder) => [...scripts(folder)])) {
    let state = INITIAL;
    fs.readFileSync(file, 'utf8').split('\n').forEach((line, number) => {
      const result = loaded.tokenizeLine(line, state);
      state = result.ruleStack;
      for (const { startIndex, endIndex, scopes } of result.tokens) {
        tokens += 1;
        const problem = fault(line.slice(startIndex, endIndex), scopes);
        if (problem) {
          const where = `${path.relative(ROOT, file)}:${number + 1}:${startIndex + 1}`;
          faults.push(`${where}: ${JSON.stringify(line.slice(startIndex, endIndex))} ${problem}`);
        }
      }
    });
    if (state.depth > 1) {
      faults.push(`${path.relative(ROOT, file)}: a string or comment never ends`);
    }
  }
  console.log(`${tokens} tokens, ${faults.length} faults`);
  faults.slice(0, 20).forEach((text) => console.error(text));
  process.exitCode = faults.length || tokens === 0 ? 1 : 0;
}

void main();
