// Loaded when the first editor opens.

import { autocompletion, closeBrackets, completionKeymap, type CompletionContext } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import {
  bracketMatching,
  foldGutter,
  foldKeymap,
  foldService,
  HighlightStyle,
  StreamLanguage,
  syntaxHighlighting,
  type StringStream,
} from '@codemirror/language';
import { linter, type Diagnostic } from '@codemirror/lint';
import { Compartment, EditorState, type Extension } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';

export type Language = 'json' | 'partiql';

export interface Options {
  text: string;
  label: string;
  language: Language;
  isReadOnly: boolean;
  words: () => string[];
  change: (text: string) => void;
  submit: () => void;
}

export interface Handle {
  setText(text: string): void;
  setTheme(theme: 'light' | 'dark'): void;
  close(): void;
}

const STATEMENT_WORDS = (
  'SELECT FROM WHERE AND OR NOT IN BETWEEN ORDER BY ASC DESC INSERT INTO VALUE UPDATE SET REMOVE DELETE RETURNING ' +
  'ALL OLD NEW MODIFIED IS MISSING NULL TRUE FALSE EXISTS begins_with contains attribute_type size list_append ' +
  'set_add set_delete'
).split(' ');

const partiql = StreamLanguage.define({
  token(stream: StringStream) {
    if (stream.eatSpace()) return null;
    if (stream.match(/--.*/)) return 'comment';
    if (stream.match(/'(?:[^']|'')*'?/)) return 'string';
    if (stream.match(/"(?:[^"]|"")*"?/)) return 'variableName';
    if (stream.match(/\d+(\.\d+)?([eE][+-]?\d+)?/)) return 'number';
    const word = stream.match(/[A-Za-z_]\w*/) as RegExpMatchArray | null;
    if (word) return STATEMENT_WORDS.some((each) => each.toLowerCase() === word[0].toLowerCase()) ? 'keyword' : 'variableName';
    stream.next();
    return 'operator';
  },
});

// JSON by tokens: the grammar of a parser generator, which would be the other way, weighs as much as all pages but one.
const json = StreamLanguage.define<{ depth: number }>({
  startState: () => ({ depth: 0 }),
  token(stream, state) {
    if (stream.eatSpace()) return null;
    if (stream.match(/"[^"\\]*(?:\\.[^"\\]*)*"?/)) return stream.match(/\s*:/, false) ? 'propertyName' : 'string';
    if (stream.match(/-?\d+(\.\d+)?([eE][+-]?\d+)?/)) return 'number';
    if (stream.match(/true|false|null/)) return 'keyword';
    const sign = stream.next()!;
    if ('{['.includes(sign)) state.depth++;
    if ('}]'.includes(sign)) state.depth--;
    return null;
  },
  indent: (state, after, context) => Math.max(0, state.depth - (/^[}\]]/.test(after) ? 1 : 0)) * context.unit,
  languageData: { closeBrackets: { brackets: ['[', '{', '"'] }, indentOnInput: /^\s*[}\]]$/ },
});

/** Folds from a bracket at the end of a line to the first line that is not further in. */
const jsonFolds = foldService.of((state, from, to) => {
  const first = state.doc.lineAt(from);
  if (!/[{[]\s*$/.test(first.text)) return null;
  const margin = (text: string) => text.search(/\S/);
  let end = to;
  for (const text of state.doc.iterLines(first.number + 1)) {
    const inside = margin(text);
    if (inside >= 0 && inside <= margin(first.text)) return end > to ? { from: to, to: end + 1 + inside } : null;
    end += 1 + text.length;
  }
  return null;
});

/** Where the text is no JSON, in the browser's words. */
function jsonFault({ state: { doc } }: EditorView): Diagnostic[] {
  try {
    JSON.parse(doc.toString());
    return [];
  } catch (reason) {
    const { message } = reason as Error;
    const [, position] = /at position (\d+)/.exec(message) ?? [];
    const [, line, column] = /line (\d+) column (\d+)/.exec(message) ?? [];
    const at = position ? Number(position) : line ? doc.line(Number(line)).from + Number(column) - 1 : doc.length;
    return [{ from: Math.min(at, doc.length), to: Math.min(at, doc.length), severity: 'error', message }];
  }
}

function completions(words: () => string[]) {
  return (context: CompletionContext) => {
    const before = context.matchBefore(/[\w.$-]+/);
    if (!before && !context.explicit) return null;
    const options = [...STATEMENT_WORDS, ...words()].map((label) => ({ label }));
    return { from: before?.from ?? context.pos, options };
  };
}

const base = EditorView.theme({
  '&': { fontSize: '12px', backgroundColor: 'transparent', color: 'var(--text)', maxHeight: '60vh' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5' },
  '.cm-gutters': { backgroundColor: 'var(--panel)', color: 'var(--muted)', border: 'none' },
  '.cm-content': { caretColor: 'var(--text)', padding: '6px 0' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-tooltip': { backgroundColor: 'var(--raised)', color: 'var(--text)', border: '1px solid var(--line-strong)' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': { backgroundColor: 'var(--accent)', color: 'var(--accent-text)' },
});

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--text)', fontWeight: '600' },
  { tag: tags.string, color: 'var(--string)' },
  { tag: tags.number, color: 'var(--number)' },
  { tag: [tags.bool, tags.null, tags.keyword], color: 'var(--other)' },
  { tag: tags.comment, color: 'var(--muted)' },
]);

// Text over a selection goes in as a change of the document. The browser's own way would give the new text the
// look of the old by inline styles, which the Content-Security-Policy refuses and reports.
const replaceSelections = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { data } = event;
    const isPair = data?.length === 1 && '([{"\''.includes(data); // closeBrackets has its own way
    if (event.inputType !== 'insertText' || !data || isPair || view.state.readOnly) return false;
    if (view.state.selection.main.empty) return false;
    view.dispatch(view.state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true });
    return true;
  },
});

function languageOf(options: Options): Extension {
  if (options.language === 'json') {
    return [json, jsonFolds, options.isReadOnly ? [] : linter(jsonFault)];
  }
  return [partiql, autocompletion({ override: [completions(options.words)] })];
}

/** Opens an editor in a shadow root of `host`. */
export function open(host: HTMLElement, options: Options): Handle {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const shade = new Compartment();
  const submit = () => {
    options.submit();
    return true;
  };
  const view = new EditorView({
    root,
    parent: root as unknown as HTMLElement,
    state: EditorState.create({
      doc: options.text,
      extensions: [
        keymap.of([{ key: 'Ctrl-Enter', mac: 'Cmd-Enter', run: submit, preventDefault: true }]),
        lineNumbers(),
        foldGutter(),
        history(),
        bracketMatching(),
        closeBrackets(),
        keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap, ...foldKeymap]),
        syntaxHighlighting(colours),
        languageOf(options),
        replaceSelections,
        base,
        shade.of([]),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': options.label }),
        EditorState.readOnly.of(options.isReadOnly),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) options.change(update.state.doc.toString());
        }),
      ],
    }),
  });
  return {
    setText(text) {
      const present = view.state.doc.toString();
      if (text !== present) view.dispatch({ changes: { from: 0, to: present.length, insert: text } });
    },
    setTheme(theme) {
      view.dispatch({ effects: shade.reconfigure(EditorView.darkTheme.of(theme === 'dark')) });
    },
    close: () => view.destroy(),
  };
}
