"""A model whose every text tries to become part of the page. hostile.py FOLDER"""

import json
import pathlib
import sys

MARK = "window.__xss=1"
PAYLOADS = [
    f"<script>{MARK}</script>",
    f"</script><script>{MARK}</script>",
    f"</SCRIPT ><svg onload={MARK}>",
    f"<!--<script>{MARK}</script>-->",
    f"--><script>{MARK}</script>",
    f"<!--ESCAPEMENT-DATA--><script>{MARK}</script>",
    f"<!--ESCAPEMENT-TITLE--><img src=x onerror={MARK}>",
    f"</title><script>{MARK}</script>",
    f"</style><script>{MARK}</script>",
    f"</textarea><script>{MARK}</script>",
    f"]]><script>{MARK}</script>",
    f"<img src=x onerror={MARK}>",
    f"<img/src=x/onerror={MARK}//",
    f"<svg/onload={MARK}>",
    f"<svg><script>{MARK}</script></svg>",
    f"<svg><animate onbegin={MARK} attributeName=x dur=1s>",
    f"<svg><a xlink:href=javascript:{MARK}><text>x</text></a></svg>",
    f"<math><mi xlink:href=javascript:{MARK}>x</mi></math>",
    f"<iframe srcdoc='<script>parent.{MARK[7:]}</script>'></iframe>",
    f"<iframe src=javascript:parent.{MARK[7:]}></iframe>",
    f"<object data=javascript:{MARK}></object>",
    f"<embed src=javascript:{MARK}>",
    f"<body onload={MARK}>",
    f"<details open ontoggle={MARK}>x</details>",
    f"<input autofocus onfocus={MARK}>",
    f"<select autofocus onfocus={MARK}></select>",
    f"<video><source onerror={MARK}></video>",
    f"<audio src=x onerror={MARK}>",
    f"<marquee onstart={MARK}>x</marquee>",
    f"<link rel=stylesheet href=data:text/css,*{{background:red}}>",
    f"<style>*{{background:url(http://127.0.0.1:9/)}}</style>",
    f"<style>@import 'http://127.0.0.1:9/x.css';</style>",
    f"<meta http-equiv=refresh content='0;url=http://127.0.0.1:9/'>",
    f"<base href=http://127.0.0.1:9/>",
    f"<form action=http://127.0.0.1:9/><button autofocus>x</button></form>",
    f"<a href=javascript:{MARK}>click</a>",
    f"<a href=\"http://127.0.0.1:9/\" ping=http://127.0.0.1:9/>x</a>",
    f"<template><script>{MARK}</script></template>",
    f"<noscript><p title=\"</noscript><img src=x onerror={MARK}>\">",
    f"<p style=\"background:url('javascript:{MARK}')\">x</p>",
    f"\" onmouseover=\"{MARK}",
    f"' onmouseover='{MARK}",
    f"\"><script>{MARK}</script>",
    f"'><script>{MARK}</script>",
    f"`${{{MARK}}}`",
    f"{{{{constructor.constructor('{MARK}')()}}}}",
    f"${{{MARK}}}",
    f"javascript:{MARK}",
    f"data:text/html,<script>{MARK}</script>",
    f"\\u003cscript\\u003e{MARK}\\u003c/script\\u003e",
    f"\\x3cscript\\x3e{MARK}\\x3c/script\\x3e",
    f"&lt;script&gt;{MARK}&lt;/script&gt;",
    f"&#60;script&#62;{MARK}&#60;/script&#62;",
    f"%3Cscript%3E{MARK}%3C/script%3E",
    f"<scr<script>ipt>{MARK}</scr</script>ipt>",
    f"<ScRiPt>{MARK}</sCrIpT>",
    f"<script\n>{MARK}</script\n>",
    f"<script/src=data:,{MARK}></script>",
    f"\u2028<script>{MARK}</script>\u2029",
    f"\u202e<script>{MARK}</script>",
    f"<x onclick={MARK} tabindex=1 onfocusin={MARK} id=x>#x",
    f"__proto__",
    f"constructor",
]


def comment(text):
    """One line; YAML allows no control characters."""
    return "# " + " ".join(text.split())


def model():
    lines = ["escapement: 1", "title: " + json.dumps(" ".join(PAYLOADS)), "units: SI", "parameters:"]
    lines += [f"  p{i}: {i}  {comment(p)}" for i, p in enumerate(PAYLOADS)]
    lines += [
        "components:",
        "  mass: {type: translational.mass, mass: 1, initial: {position: 1}}",
        "  spring: {type: translational.spring, stiffness: 4, between: [ground, mass]}",
        "simulate: {until: 1, step: 0.1}",
        "plots:",
    ]
    lines += [f"  - {{title: {json.dumps(p)}, y: mass.position}}" for p in PAYLOADS]
    lines += [comment(p) for p in PAYLOADS]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.yaml").write_text(model())
    print(len(PAYLOADS), "payloads")
