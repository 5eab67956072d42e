// node test/xss.mjs PAGE…: pages made from models with hostile texts run none of them and grow no elements.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** Waits for the page; asks from outside, as the page's policy lets nothing be evaluated inside. */
export async function ready(page) {
  for (let i = 0; i < 300; ++i) {
    if (await page.evaluate(() => !!window.escapement)) return;
    await page.waitForTimeout(100);
  }
  throw new Error("the page does not become ready");
}

/** What is wrong with the page; nothing if it is harmless. */
export async function check_hostile(browser, file) {
  const faults = [];
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  const address = pathToFileURL(file).href;
  page.on("dialog", (dialog) => {
    faults.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    const url = request.url();
    if (url.split("#")[0] !== address && !/^(data|blob):/.test(url)) faults.push(`request: ${url}`);
  });
  page.on("console", (message) => {
    if (message.type() === "error" && !/GPU stall|GL Driver Message/.test(message.text()))
      faults.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  try {
    await page.goto(address);
    await ready(page);
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    for (let y = 0; y < height; y += 600) {
      await page.evaluate((at) => scrollTo(0, at), y);
      await page.waitForTimeout(80);
    }
    for (const button of await page.locator(".view-tools .toggle").all()) await button.click();
    for (const input of (await page.locator(".channel-list input").all()).slice(0, 8)) await input.check();
    await page.waitForTimeout(200);
    for (const plot of (await page.locator(".u-over").all()).slice(0, 6)) await plot.hover({ force: true });
    for (const box of (await page.locator(".topology .box:not(.ground)").all()).slice(0, 10))
      await box.dispatchEvent("click");
    await page.waitForTimeout(300);
    faults.push(
      ...(await page.evaluate(() => {
        const out = [];
        if (window.__xss !== undefined) out.push("a script of the model ran");
        // The page makes none of these itself.
        const strange =
          "iframe, object, embed, img, link, base, form, video, audio, frame, svg script, svg foreignObject, svg a, math, template";
        for (const node of document.querySelectorAll(strange)) out.push(`an element <${node.localName}>`);
        for (const script of document.querySelectorAll("script")) {
          const data = /^(application\/json|application\/octet-stream)$/.test(script.type);
          if (!data && script !== [...document.querySelectorAll("script:not([type])")][0])
            out.push("another script");
        }
        if (document.querySelectorAll("style").length !== 2) out.push("another style sheet");
        for (const node of document.querySelectorAll("*"))
          for (const attribute of node.attributes) {
            if (/^on/i.test(attribute.name)) out.push(`an attribute ${attribute.name}`);
            if (/^(href|src|xlink:href|action)$/i.test(attribute.name) && !attribute.value.startsWith("#"))
              out.push(`an address in ${attribute.name}`);
          }
        return out;
      })),
    );
  } catch (error) {
    faults.push(error.message);
  }
  await page.close();
  return faults;
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const executablePath = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser"].find(
    (p) => p && existsSync(p),
  );
  if (!executablePath) {
    console.log("no browser found; skipped");
    process.exit(77);
  }
  const { chromium } = await import("playwright-core");
  const browser = await chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
  });
  let failures = 0;
  for (const file of process.argv.slice(2))
    for (const text of await check_hostile(browser, resolve(file))) {
      ++failures;
      console.log(`FAIL ${file}: ${text}`);
    }
  await browser.close();
  console.log(failures ? `${failures} failures` : "no hostile text had an effect");
  process.exit(failures ? 1 : 0);
}
