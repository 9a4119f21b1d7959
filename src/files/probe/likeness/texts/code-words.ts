/** In the child: the tokens of source code, free of how it is formatted. */

/** Comments, quotes, the marks at the end of a statement or list, and where a chain breaks are a matter of style. */
export const codeWords = (text: string): string[] =>
  (
    text
      .replace(
        /("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)|\/\*[\s\S]*?\*\/|(?<![:\w])\/\/[^\n]*/g,
        (_, string = " ") => string,
      )
      .replace(/(?<=[\p{L}\p{N}_$)\]])[ \t]*\r?\n\s*(?=\??\.[\p{L}_$])/gu, "")
      .replace(/[;,](?=\s*[\])}]|\s*$)/g, "")
      .match(/[\p{L}\p{N}_$.]+|#[\da-f]+|[^\s;]/giu) ?? []
  ).map((word) => (/^['`]$/.test(word) ? '"' : /^#[\da-f]+$/i.test(word) ? word.toLowerCase() : word));
