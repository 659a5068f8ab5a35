/** The style of every page: colours, type, controls, the bar, and what a page begins with. */
export const baseStyle = `
:root{color-scheme:light dark;--ground:light-dark(#f6f6f4,#141719);--panel:light-dark(#fff,#1a1e21);
--raise:light-dark(#fff,#22272b);--line:light-dark(#e5e5e1,#2b3135);--edge:light-dark(#868c8f,#788187);
--text:light-dark(#1b1f21,#e3e6e8);--soft:light-dark(#596165,#a1aab0);--accent:light-dark(#0a5a80,#83c8eb);
--on:light-dark(#fff,#0d2230);--wash:light-dark(#eef4f7,#1e2a31);--bar:light-dark(#cbe1eb,#233c49);
--bad:light-dark(#a1261c,#ffa198);--badwash:light-dark(#fcf0ee,#2e1f1e);--good:light-dark(#1c6b3c,#7fd19c);
--goodwash:light-dark(#ecf6ef,#1c2b22);--h1:light-dark(#2f7ea6,#67b3d9);--h2:light-dark(#b0761b,#dba84e);
--h3:light-dark(#3c8a55,#73c08b);--h4:light-dark(#a3528f,#d38fc2);--h5:light-dark(#b5493d,#e58a80);
--h6:light-dark(#7a7f83,#98a0a5);--mono:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;
--row:33px;--pad:10px}*{box-sizing:border-box}[hidden]{display:none!important}html{font:14px/1.45 system-ui,
-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;background:var(--ground);color:var(--text);
-webkit-text-size-adjust:100%;accent-color:var(--accent);scrollbar-color:var(--edge) transparent}body{margin:0;
min-height:100dvh;display:flex;flex-direction:column}main{padding:0 24px 40px;flex:1;min-width:0;width:100%;
max-width:92rem}h1,h2,h3,p,ul,ol,dl,dd,figure,fieldset,legend{margin:0;padding:0;border:0}ul,ol{list-style:none}
h1{font-size:22px;line-height:1.25;font-weight:600;letter-spacing:-.01em;overflow-wrap:anywhere}h2{font-size:16px;
line-height:1.35;font-weight:600}h3{font-size:13px;font-weight:600}a{color:var(--accent);text-underline-offset:2px;
text-decoration-thickness:1px;text-decoration-color:color-mix(in srgb,currentcolor 40%,transparent)}
a:hover{text-decoration-color:currentcolor}code,pre,.mono{font-family:var(--mono);font-size:12.5px}
code{overflow-wrap:anywhere}pre{margin:0;white-space:pre-wrap;overflow-wrap:anywhere;line-height:1.5}
:focus-visible{outline:2px solid var(--accent);outline-offset:1px;border-radius:4px}.soft,small{color:var(--soft);
font-size:13px;font-weight:400}.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);
white-space:nowrap}.skip{position:absolute;inset-block-start:-60px;inset-inline-start:8px;z-index:9;padding:8px 12px;
background:var(--raise)}.skip:focus{inset-block-start:6px}bdi{unicode-bidi:isolate}.bar{display:flex;
align-items:center;gap:4px 8px;padding:7px 24px;background:var(--panel);border-block-end:1px solid var(--line);
min-height:46px}.bar nav{min-width:0}.bar ol{display:flex;flex-wrap:wrap;align-items:baseline}
.bar ol a{text-decoration:none}.bar ol a:hover{text-decoration:underline}
.bar ol li:not(:first-child)::before{content:"/";color:var(--edge);padding:0 7px}.home{font-weight:600}
.bar [aria-current]{font-weight:500}.bar bdi{overflow-wrap:anywhere}.query{flex:1;display:flex;min-width:6rem;
align-items:center;border:1px solid transparent;border-radius:6px;font-family:var(--mono);font-size:12.5px}
.query:hover{background:var(--ground)}.query:focus-within{border-color:var(--accent);background:var(--panel)}
.query input{flex:1;min-width:0;border:0;background:none;padding:0 2px;font:inherit;outline:0;min-height:30px;
text-overflow:ellipsis;color:var(--soft)}.query input:focus{color:var(--text)}.query span{padding-inline-start:6px;
color:var(--soft)}.query button{min-height:26px;margin-inline-end:2px}.query:not(:focus-within,
:hover) button{opacity:0}.gap{flex:1}.formats{display:flex;gap:2px;align-items:center}.formats a{padding:4px 7px;
font-size:13px;text-decoration:none;border-radius:6px}.formats a:hover{background:var(--wash)}input,select,textarea,
button,.button{font:inherit;color:inherit;min-height:32px;border:1px solid var(--edge);border-radius:6px;
background:var(--panel);padding:4px 9px;max-width:100%}textarea{display:block;width:100%;line-height:1.5;
padding:7px 9px;resize:vertical;field-sizing:content;min-height:66px;max-height:22rem}input:is([type=checkbox],
[type=radio]){min-height:0;width:15px;height:15px;margin:0;vertical-align:-2px;flex:none}
::placeholder{color:var(--soft);opacity:1}button,.button{display:inline-flex;align-items:center;gap:6px;
white-space:nowrap;cursor:pointer;text-decoration:none;font-weight:500;color:var(--text);
border-color:color-mix(in srgb,var(--edge) 62%,transparent)}button:hover,.button:hover{background:var(--wash)}
.quiet{border-color:transparent;background:none;font-weight:400;color:var(--soft);padding-inline:7px;font-size:13px;
min-height:30px}.quiet:is(:hover,[aria-pressed=true]){color:var(--text)}[aria-pressed=true]{background:var(--bar)}
.quiet b{font-weight:600;color:var(--text)}.primary{background:var(--accent);border-color:transparent;color:var(--on)}
.primary:hover{background:color-mix(in srgb,var(--accent) 86%,var(--text))}.danger{color:var(--bad)}
.stop{background:light-dark(#a1261c,#ffa198);color:light-dark(#fff,#330c08);border-color:transparent}
.stop:hover{background:light-dark(#86190f,#ffbab3)}.menu::after{content:"";border:4px solid transparent;
border-block-start-color:currentcolor;border-block-end:0;opacity:.6}.head{display:flex;flex-wrap:wrap;
align-items:baseline;gap:2px 12px;padding:16px 0 10px}.about .ref{margin:0}.head .about{color:var(--soft);
flex:1 1 20rem;min-width:0;max-width:80ch}.acts{display:flex;flex-wrap:wrap;gap:8px;margin-inline-start:auto;
align-self:center}.total{font-variant-numeric:tabular-nums;color:var(--soft);font-size:16px;font-weight:400;
letter-spacing:0}.sentence{display:flex;flex-wrap:wrap;gap:6px;align-items:center;padding:0 0 8px;color:var(--soft)}
.sentence>form input{width:15rem;min-height:30px}.sentence .word{padding:0 2px}.cond{display:inline-flex;
align-items:stretch;max-width:100%;border-radius:6px;background:var(--wash);color:var(--text);min-height:30px}
.cond>button{all:unset;box-sizing:border-box;padding:4px 4px 4px 10px;padding-inline:10px 4px;cursor:pointer;
overflow:hidden;text-overflow:ellipsis;white-space:nowrap;min-width:0}
.cond>button:focus-visible{outline:2px solid var(--accent)}.cond i{font-style:normal;color:var(--soft)}
.cond b{font-weight:600}.x{display:inline-flex;align-items:center;justify-content:center;min-width:26px;
text-decoration:none;color:var(--soft);border-radius:6px}.x:hover{color:var(--bad)}.x::before{content:"×";
font-size:16px;line-height:1}.either{display:inline-flex;flex-wrap:wrap;gap:6px;align-items:center;padding-inline:10px;
border-inline:2px solid var(--edge);border-radius:8px}.asks{display:inline-flex;flex-wrap:wrap;gap:6px;
align-items:center;padding:5px 8px;border:1px solid var(--accent);border-radius:8px;background:var(--panel);
color:var(--text)}.tools{display:flex;flex-wrap:wrap;align-items:center;gap:0 2px;min-height:38px;padding-inline:6px;
border-block-end:1px solid var(--line)}
`
