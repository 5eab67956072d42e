// node build.mjs OUTPUT_FILE: one HTML page with scripts and styles in it, into which the program puts the data of a run.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const output = process.argv[2];
if (!output) {
  console.error("usage: node build.mjs OUTPUT_FILE");
  process.exit(2);
}
const read = (file) => readFileSync(join(here, file), "utf8").replace(/\r\n?/g, "\n");

const bundle = async (entry) => {
  const result = await build({
    absWorkingDir: here,
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    target: "es2020",
    format: "iife",
    charset: "utf8",
    legalComments: "eof",
    logLevel: "warning",
  });
  return result.outputFiles[0].text.replace(/\r\n?/g, "\n");
};

// The licences ask for their texts in every copy; not all bundles carry them.
const licences = ["three", "uplot", "@dagrejs/dagre", "@dagrejs/graphlib"].map((name) => {
  const text = read(`node_modules/${name}/LICENSE`).trim().replace(/\*\//g, "* /");
  return `/*! ${name}\n${text}\n*/`;
});

// Neither may end its element early.
const harmless = (text, tag) => {
  const safe = text.replace(new RegExp(`</(?=${tag})`, "gi"), "<\\/").replace(/<!--/g, "<\\!--");
  return `\n${safe.trim()}\n`;
};
const script = harmless(`${await bundle("src/main.ts")}\n${licences.join("\n")}`, "script");
const styles = [read("node_modules/uplot/dist/uPlot.min.css"), await bundle("src/style.css")].map((text) =>
  harmless(text, "style"),
);
const hash = (text) => `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`;
const policy = [
  "default-src 'none'",
  `script-src ${hash(script)}`,
  `style-src ${styles.map(hash).join(" ")}`,
  "img-src data: blob:",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title><!--ESCAPEMENT-TITLE--></title>
${styles.map((text) => `<style>${text}</style>`).join("\n")}
</head>
<body>
<main id="page"><noscript>This report needs JavaScript.</noscript></main>
<!--ESCAPEMENT-DATA-->
<script>${script}</script>
</body>
</html>
`;
for (const mark of ["<!--ESCAPEMENT-DATA-->", "<!--ESCAPEMENT-TITLE-->"])
  if (page.split(mark).length !== 2) throw new Error(`${mark} must stand in the page once`);
mkdirSync(dirname(output), { recursive: true });
writeFileSync(output, page);
console.log(`${output}: ${Buffer.byteLength(page)} bytes`);
