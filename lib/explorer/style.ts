import { createHash } from 'node:crypto'

/** The style sheet of every page: of what all pages have, of tables and what opens from them, and of other pages. */
export const style = `
:root{color-scheme:light dark;--ground:light-dark(#f6f6f4,#141719);--panel:light-dark(#fff,#1a1e21);
--raise:light-dark(#fff,#22272b);--line:light-dark(#e5e5e1,#2b3135);--edge:light-dark(#868c8f,#788187);
--text:light-dark(#1b1f21,#e3e6e8);--soft:light-dark(#596165,#a1aab0);--accent:light-dark(#0a5a80,#83c8eb);
--on:light-dark(#fff,#0d2230);--wash:light-dark(#eef4f7,#1e2a31);--bar:light-dark(#cbe1eb,#233c49);
--bad:light-dark(#a1261c,#ffa198);--good:light-dark(#1c6b3c,#7fd19c);--h1:light-dark(#2f7ea6,#67b3d9);
--h2:light-dark(#b0761b,#dba84e);--h3:light-dark(#3c8a55,#73c08b);--h4:light-dark(#a3528f,#d38fc2);
--h5:light-dark(#b5493d,#e58a80);--h6:light-dark(#7a7f83,#98a0a5);--mono:ui-monospace,SFMono-Regular,Menlo,Consolas,
"DejaVu Sans Mono",monospace;--row:33px;--pad:10px}*{box-sizing:border-box}[hidden]{display:none!important}html{
font:14px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;background:var(--ground);
color:var(--text);-webkit-text-size-adjust:100%;accent-color:var(--accent);scrollbar-color:var(--edge) transparent}body{
margin:0;min-height:100dvh;display:flex;flex-direction:column}main{padding:0 24px 40px;flex:1;min-width:0;width:100%;
max-width:92rem}h1,h2,p,ul,ol,dl,dd,figure,fieldset,legend{margin:0;padding:0;border:0}ul,ol{list-style:none}h1{
font-size:22px;line-height:1.25;font-weight:600;letter-spacing:-.01em;overflow-wrap:anywhere}h2{font-size:16px;
line-height:1.35;font-weight:600}a{color:var(--accent);text-underline-offset:2px;text-decoration-thickness:1px;
text-decoration-color:color-mix(in srgb,currentcolor 40%,transparent)}a:hover{text-decoration-color:currentcolor}code,
pre,.mono{font-family:var(--mono);font-size:12.5px}code{overflow-wrap:anywhere}pre{margin:0;white-space:pre-wrap;
overflow-wrap:anywhere;line-height:1.5}:focus-visible{outline:2px solid var(--accent);outline-offset:1px;
border-radius:4px}.soft,small{color:var(--soft);font-size:13px;font-weight:400}.unseen,.many :is(.field>label,legend){
position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}.skip{position:absolute;
inset-block-start:-60px;inset-inline-start:8px;z-index:9;padding:8px 12px;background:var(--raise)}.skip:focus{
inset-block-start:6px}bdi{unicode-bidi:isolate}.bar{display:flex;align-items:center;gap:4px 8px;padding:7px 24px;
background:var(--panel);border-block-end:1px solid var(--line);min-height:46px}.bar nav{min-width:0}.bar ol{
display:flex;flex-wrap:wrap;align-items:baseline}.bar ol a{text-decoration:none}.bar ol a:hover{
text-decoration:underline}.bar ol li:not(:first-child)::before{content:"/";color:var(--edge);padding:0 7px}.home{
font-weight:600}.bar [aria-current]{font-weight:500}.bar bdi{overflow-wrap:anywhere}.query{flex:1;display:flex;
min-width:6rem;align-items:center;border:1px solid transparent;border-radius:6px;font-family:var(--mono);
font-size:12.5px}.query:hover{background:var(--ground)}.query:focus-within{border-color:var(--accent);
background:var(--panel)}.query input{flex:1;min-width:0;border:0;background:none;padding:0 2px;font:inherit;outline:0;
min-height:30px;text-overflow:ellipsis;color:var(--soft)}.query input:focus{color:var(--text)}.query span{
padding-inline-start:6px;color:var(--soft)}.query button{min-height:26px;margin-inline-end:2px}.query:not(:focus-within,
:hover) button{opacity:0}.gap{flex:1}.formats{display:flex;gap:2px;align-items:center}.formats a{padding:4px 7px;
font-size:13px;text-decoration:none;border-radius:6px}.formats a:hover{background:var(--wash)}input,select,textarea,
button,.button{font:inherit;color:inherit;min-height:32px;border:1px solid var(--edge);border-radius:6px;
background:var(--panel);padding:4px 9px;max-width:100%}textarea{display:block;width:100%;line-height:1.5;padding:7px
9px;resize:vertical;field-sizing:content;min-height:66px;max-height:22rem}input:is([type=checkbox],[type=radio]){
min-height:0;width:15px;height:15px;margin:0;vertical-align:-2px;flex:none}::placeholder{color:var(--soft);opacity:1}
button,.button{display:inline-flex;align-items:center;gap:6px;white-space:nowrap;cursor:pointer;text-decoration:none;
font-weight:500;color:var(--text);border-color:color-mix(in srgb,var(--edge) 62%,transparent)}button:hover,
.button:hover{background:var(--wash)}.quiet{border-color:transparent;background:none;font-weight:400;color:var(--soft);
padding-inline:7px;font-size:13px;min-height:30px}.quiet:is(:hover,[aria-pressed=true]){color:var(--text)}
[aria-pressed=true]{background:var(--bar)}.quiet b{font-weight:600;color:var(--text)}.primary{background:var(--accent);
border-color:transparent;color:var(--on)}.primary:hover{background:color-mix(in srgb,var(--accent) 86%,var(--text))}
.danger{color:var(--bad)}.stop{background:light-dark(#a1261c,#ffa198);color:light-dark(#fff,#330c08);
border-color:transparent}.stop:hover{background:light-dark(#86190f,#ffbab3)}.menu::after{content:"";border:4px solid
transparent;border-block-start-color:currentcolor;border-block-end:0;opacity:.6}.head{display:flex;flex-wrap:wrap;
align-items:baseline;gap:2px 12px;padding:16px 0 10px}.head .about{color:var(--soft);flex:1 1 20rem;min-width:0;
overflow-wrap:anywhere;max-width:80ch}.acts{display:flex;flex-wrap:wrap;gap:8px;margin-inline-start:auto;
align-self:center}.total{font-variant-numeric:tabular-nums;color:var(--soft);font-size:16px;font-weight:400;
letter-spacing:0}.sentence{display:flex;flex-wrap:wrap;gap:6px;align-items:center;padding:0 0 8px;color:var(--soft)}
.sentence>form input{width:15rem;min-height:30px}.sentence .word{padding:0 2px}.cond{display:inline-flex;
align-items:stretch;max-width:100%;border-radius:6px;background:var(--wash);color:var(--text);min-height:30px}
.cond>button{all:unset;box-sizing:border-box;padding:4px 4px 4px 10px;padding-inline:10px 4px;cursor:pointer;
overflow:hidden;text-overflow:ellipsis;white-space:nowrap;min-width:0}.cond>button:focus-visible{outline:2px solid
var(--accent)}:is(.cond,.empty) i{font-style:normal}.cond i{color:var(--soft)}.cond b{font-weight:600}.x{
display:inline-flex;align-items:center;justify-content:center;min-width:26px;text-decoration:none;color:var(--soft);
border-radius:6px}.x:hover{color:var(--bad)}.x::before{content:"×";font-size:16px;line-height:1}.either{
display:inline-flex;flex-wrap:wrap;gap:6px;align-items:center;padding-inline:10px;border-inline:2px solid var(--edge);
border-radius:8px}.asks{display:inline-flex;flex-wrap:wrap;gap:6px;align-items:center;padding:5px 8px;border:1px solid
var(--accent);border-radius:8px;background:var(--panel);color:var(--text)}.tools{display:flex;flex-wrap:wrap;
align-items:center;gap:0 2px;min-height:38px;padding-inline:6px;border-block-end:1px solid var(--line)}.frame{border:1px
solid var(--line);border-radius:10px;background:var(--panel);min-width:0;overflow:clip;display:flex;
flex-direction:column}.scroll{overflow:auto;overscroll-behavior-x:contain;position:relative}.scroll:focus-visible{
outline-offset:-2px}table{border-collapse:separate;border-spacing:0;width:100%;font-variant-numeric:tabular-nums}th,td{
text-align:left;height:var(--row);padding:0 var(--pad);white-space:nowrap;overflow:hidden;text-overflow:ellipsis;
max-width:15rem;border-block-end:1px solid var(--line);font-weight:400}.rest{width:100%;max-width:none;padding:0}tbody
tr:last-child>*{border-block-end:0}thead th{position:sticky;inset-block-start:0;z-index:2;background:var(--panel);
color:var(--soft);font-size:13px;height:34px;padding-inline-end:2px}thead td{position:sticky;inset-block-start:0;
z-index:2;background:var(--panel)}thead th>span{display:flex;align-items:center;min-width:0}thead th.num>span{
justify-content:flex-end}thead a{color:inherit;text-decoration:none;overflow:hidden;text-overflow:ellipsis}thead
a:hover,[aria-sort] a{color:var(--text)}[aria-sort] a{font-weight:600}thead small{font-size:12px;
padding-inline-start:4px}.dir{font-size:9px;padding-inline-start:4px;color:var(--accent)}.more{all:unset;cursor:pointer;
width:20px;text-align:center;color:var(--soft);flex:none;opacity:0;line-height:24px;border-radius:4px}.more::before{
content:"⋮"}:is(th:hover,th:focus-within) .more{opacity:1}.more:hover{background:var(--wash);color:var(--text)}
.more:focus-visible{outline:2px solid var(--accent)}@media(hover:none){.more{opacity:1}}.key{position:sticky;
inset-inline-start:0;z-index:1;background:var(--panel);box-shadow:inset -1px 0 var(--line);max-width:19rem}
.key:dir(rtl){box-shadow:inset 1px 0 var(--line)}thead .key{z-index:3}.key>a{font-weight:600;text-decoration:none}
.key>a:hover{text-decoration:underline}.key input{margin-inline-end:10px;opacity:.5;flex:none}.key input:is(:checked,
:hover,:focus-visible){opacity:1}tbody tr:hover>*,.key:has(>:checked),.key:has(>:checked)~td{background:var(--wash)}
:root:dir(rtl) :is(th,td){text-align:right}.num,:root:dir(rtl) .num{direction:ltr;text-align:right;
padding-inline-end:20px}thead .num:has(.more){padding-inline-end:0}td.num{max-width:none}.s{max-width:9rem}.m{
max-width:14rem}.g{margin-inline-end:.2em}.null{color:var(--soft);font:12px var(--mono)}time i{font-style:normal;
color:var(--soft)}.ref{text-decoration:none;background:color-mix(in srgb,var(--accent) 6%,transparent);
border-radius:4px;padding:2px 6px;margin-inline-start:-6px}.ref:hover{text-decoration:underline}td.num .ref{margin:0
-6px 0 0;margin-inline:0 -6px}.yes::before,.no::before,.enum::before{content:"";display:inline-block;width:8px;
height:8px;border-radius:50%;margin-inline-end:7px;background:var(--c,var(--h6))}.yes::before{background:var(--accent)}
.no{color:var(--soft)}.no::before{background:none;box-shadow:inset 0 0 0 1.5px var(--edge)}.e1{--c:var(--h1)}.e2{
--c:var(--h2)}.e3{--c:var(--h3)}.e4{--c:var(--h4)}.e5{--c:var(--h5)}.e6{--c:var(--h6)}.tag{display:inline-block;
border:1px solid var(--line);border-radius:4px;padding:0 6px;line-height:20px;font-size:13px;margin-inline-end:4px;
background:var(--panel)}.cut{all:unset;box-sizing:border-box;cursor:pointer;display:block;width:100%;overflow:hidden;
text-overflow:ellipsis;white-space:nowrap;border-radius:4px}.cut:hover{text-decoration:underline dotted;
text-underline-offset:3px}.cut:focus-visible{outline:2px solid var(--accent);outline-offset:-1px}td.mono{font-size:12px}
.thumb{width:24px;height:24px;object-fit:cover;border-radius:4px;vertical-align:middle;background:var(--ground);
outline:1px solid var(--line);outline-offset:-1px}.compact{--row:26px;--pad:8px;font-size:13px}.roomy{--row:44px}.roomy
.cut{white-space:normal;display:-webkit-box;-webkit-line-clamp:2;-webkit-box-orient:vertical;min-width:17rem;
line-height:1.35}.roomy td:has(.cut){max-width:24rem}.pages{display:flex;flex-wrap:wrap;align-items:center;gap:4px 16px;
padding:6px 12px;border-block-start:1px solid var(--line);color:var(--soft);font-size:13px;min-height:40px;
font-variant-numeric:tabular-nums}.pages b{color:var(--text);font-weight:600}.pages a{text-decoration:none;padding:4px
0}.pages a:hover{text-decoration:underline}.turn{display:flex;gap:12px}.sizes{margin-inline-start:auto;display:flex;
gap:10px;align-items:baseline}.picked{display:none;flex-wrap:wrap;gap:6px;align-items:center;padding:6px 10px;
background:var(--wash);border-block-start:1px solid var(--accent)}.picked output{font-weight:600;padding-inline-end:8px}
.views{display:flex;flex-wrap:wrap;margin-inline-end:auto}.views a{white-space:nowrap;padding:8px 9px 7px;
text-decoration:none;color:var(--soft);border-block-end:2px solid transparent;margin-block-end:-1px}.views a:hover{
color:var(--text)}.views [aria-current]{color:var(--text);font-weight:600;border-color:var(--accent)}@property --fade{
syntax:"<length>";inherits:false;initial-value:0px}.body{display:grid;grid-template-columns:minmax(0,1fr);gap:16px}
.body:has(.facets){grid-template-columns:13.5rem minmax(0,1fr)}.facets{overflow:auto;padding-inline:2px;display:flex;
flex-direction:column;gap:16px}.facets h2{display:flex;justify-content:space-between;padding-block:8px 4px;
font-size:13px}.facets h2 .x{min-width:20px}.facets li a{display:grid;grid-template-columns:minmax(0,1fr) auto;gap:0
8px;padding:3px 6px;border-radius:4px;color:var(--text);text-decoration:none;position:relative;isolation:isolate;
font-size:13px}.facets li a>span:first-child{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}.facets li
a:hover{text-decoration:underline}.facets svg{position:absolute;inset:2px 0;width:100%;height:calc(100% - 4px);
z-index:-1}.facets svg:dir(rtl){scale:-1 1}rect{fill:var(--bar)}.facets a[aria-current]{font-weight:600}.facets
[aria-current] .n{color:inherit}.facets [aria-current] rect{fill:color-mix(in srgb,var(--accent) 22%,var(--bar))}.chart{
width:100%;min-width:40rem;height:auto;max-height:15rem;display:block;padding:8px 4px 6px}.chart text{font-size:11px;
fill:var(--soft);text-anchor:middle}.chart a:hover rect{fill:var(--accent)}.chart line{stroke:var(--line)}.sum{
display:flex;align-items:center;gap:8px}.sum svg{width:11rem;height:10px;flex:none}.sum span{margin-inline-start:auto}
:is(.chart,.sum) rect{fill:color-mix(in srgb,var(--accent) 50%,var(--panel))}.n{color:var(--soft);
font-variant-numeric:tabular-nums}[popover]{border:1px solid color-mix(in srgb,var(--edge) 50%,transparent);
border-radius:10px;padding:8px;background:var(--raise);color:var(--text);font:400 14px/1.45 system-ui,-apple-system,
"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;text-align:start;white-space:normal;box-shadow:0 8px 30px rgb(0 0
0/.16),0 1px 3px rgb(0 0 0/.1);width:max-content;max-width:min(34rem,calc(100vw - 16px));max-height:min(32rem,76dvh);
overflow:auto}@supports (position-area:block-end){[popover]{inset:auto;margin:4px;position-area:block-end
span-inline-end;position-try-fallbacks:block-end span-inline-start,block-start span-inline-end,block-start
span-inline-start,block-end span-all}}@supports not selector(:popover-open){[popover].value{display:none}}[popover] h2{
font-size:13px;color:var(--soft);font-weight:500;padding:2px 8px 6px}[popover] li a,[popover] li label{display:flex;
gap:8px;align-items:center;padding:4px 8px;border-radius:6px;color:inherit;text-decoration:none}[popover] li :is(a,
label):hover{background:var(--wash)}[popover] hr{border:0;border-block-start:1px solid var(--line);margin:6px 8px}
[popover] form{display:flex;flex-wrap:wrap;gap:8px;padding:4px;align-items:center}[popover] form :is(ul,fieldset){
flex-basis:100%}:is(.columns,.groups,.filter) ul{columns:3 9rem}:is(.columns,.groups,.filter) li{break-inside:avoid}
.value{padding:12px 14px;width:min(32rem,calc(100vw - 16px))}.value p{white-space:pre-wrap;overflow-wrap:anywhere}.value
footer{display:flex;gap:16px;padding-block-start:10px;font-size:13px;color:var(--soft)}.code{width:36rem}.code
figcaption{color:var(--soft);font-size:13px;display:flex;justify-content:space-between;padding:0 2px 4px}
.scroll:has(.key>:checked)~.picked{display:flex}@supports (animation-timeline:scroll(self inline)){.scroll{
mask-image:linear-gradient(to left,transparent,#000 var(--fade));animation:fade linear both;
animation-timeline:scroll(self inline)}.scroll:dir(rtl){mask-image:linear-gradient(to right,transparent,#000
var(--fade))}@keyframes fade{0%,96%{--fade:40px}100%{--fade:0px}}}@media(min-width:48rem) and (min-height:34rem){.sheet{
height:100dvh}.sheet main{max-width:none;display:flex;flex-direction:column;min-height:0;padding-block-end:16px}.sheet
.body{flex:1;min-height:15rem;grid-template-rows:minmax(0,1fr)}.sheet .frame{align-self:start}.sheet .scroll{flex:1;
min-height:0}.sheet .frame{max-height:100%}}[data-pad]::after{content:attr(data-pad);visibility:hidden}.e{font-size:0;
font-style:normal}.e::before{content:" × 10";font-size:14px}.u{font-size:0;margin-inline-start:4px}figure pre{
background:var(--ground);border:1px solid var(--line);border-radius:6px;padding:8px 10px;overflow:auto}figure+figure{
padding-block-start:8px}.finder{display:flex;gap:8px;padding:2px 0 16px}.finder input{width:min(26rem,100%)}.index{
display:flex;flex-direction:column;gap:24px}.index h2{font-size:13px;color:var(--soft);padding:0 0 4px;
border-block-end:1px solid var(--line);display:flex;justify-content:space-between;font-weight:600}.index ul{
display:grid;grid-template-columns:repeat(auto-fill,minmax(19rem,1fr));gap:0 32px}.index li{display:grid;
grid-template-columns:minmax(0,1fr) auto;padding:6px 0;gap:0 12px;border-block-end:1px solid var(--line)}.index p{
grid-column:1/-1;color:var(--soft);font-size:13px;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}.index a{
text-decoration:none;font-weight:600;overflow-wrap:anywhere}.index a:hover{text-decoration:underline}.dense ul{
display:block;columns:5 14rem;column-gap:32px}.dense li{padding:4px 0;break-inside:avoid}.dense a{font-weight:400}.cards
ul{grid-template-columns:repeat(auto-fill,minmax(21rem,1fr));gap:12px}.cards li{align-content:start;padding:12px 16px
13px;background:var(--panel);border:1px solid var(--line);border-radius:10px}.cards a{font-size:16px}.cards p{
white-space:normal;padding-block-start:2px}.foot{padding-block-start:24px;color:var(--soft);display:flex;flex-wrap:wrap;
gap:4px 20px;font-size:13px}.two{display:grid;grid-template-columns:minmax(0,1fr) 19rem;gap:24px;align-items:start}
.two>*{display:flex;flex-direction:column;gap:24px;min-width:0}.part>h2{padding-block-end:6px;display:flex;gap:8px;
align-items:baseline}.part>h2>*{min-width:0;overflow-wrap:anywhere}.part>h2 a{text-decoration:none}.part>h2 .n{
font-size:13px;font-weight:400}.facts{background:var(--panel);border:1px solid var(--line);border-radius:10px;
padding:4px 0}.facts>div{display:grid;grid-template-columns:minmax(7rem,11rem) minmax(0,1fr);gap:0 16px;padding:5px
14px}.facts.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(26rem,100%),1fr))}.facts.pair>.wide{
grid-column:1/-1}.facts dt{color:var(--soft);overflow-wrap:anywhere}.facts dd{overflow-wrap:anywhere;min-width:0}.facts
dd.prose{max-width:70ch;white-space:pre-wrap}.whole{white-space:pre-wrap;overflow-wrap:anywhere;max-width:76ch;
padding:8px 16px;font-size:16px;line-height:1.55}.picture{width:132px;height:132px;border-radius:6px;display:block;
background:var(--ground);margin-block:3px}.two:has(>.rail:empty){grid-template-columns:minmax(0,1fr);max-width:66rem}
.rail{font-size:13px}.rail h2{font-size:13px;color:var(--soft);font-weight:600;padding-block-end:4px}.rail li{
display:flex;justify-content:space-between;gap:12px;padding:4px 0;border-block-end:1px solid var(--line)}.rail li a{
text-decoration:none;overflow-wrap:anywhere}.write{max-width:46rem;display:flex;flex-direction:column;gap:14px}.write
.part{display:grid;gap:14px 16px;grid-template-columns:repeat(12,minmax(0,1fr))}.write legend{font-size:16px;
font-weight:600;padding-block-end:10px}.field{grid-column:span 12;min-width:0}.f6{grid-column:span 6}.f4{
grid-column:span 4}.field>label:not(.check),.field legend{display:flex;gap:8px;align-items:baseline;font-size:13px;
font-weight:600;padding-block-end:3px}.req{font-weight:400;color:var(--soft);font-size:12px}.field>:is(input,select),
.with>input{width:100%}.hint{color:var(--soft);font-size:13px;padding-block-start:3px}.field textarea.mono{
font-size:12.5px;tab-size:2;white-space:pre;overflow:auto}.with{display:flex}.with>input{border-start-end-radius:0;
border-end-end-radius:0;min-width:0}.with>span{display:flex;align-items:center;padding:0 9px;border:1px solid
var(--edge);border-inline-start:0;border-radius:0 6px 6px 0;background:var(--ground);color:var(--soft);font-size:13px;
white-space:nowrap}.with>span:dir(rtl){border-radius:6px 0 0 6px}.choice{display:flex;flex-wrap:wrap;gap:0}.choice
label{display:flex;gap:7px;align-items:center;border:1px solid var(--edge);min-height:32px;padding:0 11px;
margin-inline-end:-1px;background:var(--panel);cursor:pointer}.choice label:first-child{border-start-start-radius:6px;
border-end-start-radius:6px}.choice label:last-child{border-start-end-radius:6px;border-end-end-radius:6px}.choice
label:has(:checked){background:var(--wash);font-weight:600}.part+.soft{padding-block-start:16px}.note u{
text-decoration:underline wavy var(--bad)}.fault{color:var(--bad);font-size:13px;padding-block-start:3px}
[aria-invalid=true]{border-color:var(--bad);box-shadow:inset 0 0 0 1px var(--bad)}.save{position:sticky;
inset-block-end:0;display:flex;flex-wrap:wrap;gap:8px;align-items:center;padding:10px 0;background:linear-gradient(to
top,var(--ground) 80%,transparent);z-index:2}.note{border:1px solid var(--line);border-inline-start:3px solid
var(--accent);border-radius:6px;background:var(--panel);padding:10px 14px;margin-block-end:16px;max-width:62rem}
.note.bad{border-inline-start-color:var(--bad)}.note.good{border-inline-start-color:var(--good)}.note ul:not(.plain){
padding-inline-start:18px;list-style:disc;padding-block-start:4px}.note p+p{padding-block-start:4px}.note strong{
font-weight:600}.empty{padding:40px 24px;text-align:center;color:var(--soft)}.empty strong{display:block;
color:var(--text);font-size:16px;font-weight:600;padding-block-end:4px}.prose{max-width:72ch}.stack{display:flex;
flex-direction:column;gap:24px;max-width:62rem}.stack>section>h2{padding-block-end:6px}.stack p.soft{
padding-block-end:6px}.plainly th,.plainly td{white-space:normal;overflow-wrap:break-word;max-width:none;
padding-block:7px;vertical-align:top;height:auto}.plainly thead th{position:static;padding-block:7px}.plainly tbody th{
color:var(--soft)}.plainly :is(code,.num,tbody th,thead th){white-space:nowrap}.merge :is(code,th){
white-space:normal!important}.merge mark{background:none;color:inherit;font-weight:600;text-decoration:underline}.merge{
table-layout:fixed;min-width:44rem}.merge th:first-child{width:8.5rem}.merge :is(.check,td>label){display:flex;gap:8px;
align-items:baseline}.merge td:has(:checked){background:var(--wash)}.merge td span{min-width:0}.many{max-width:62rem}
.many :is(th,td){vertical-align:middle}.many th:first-child{width:14rem}.merge .check{align-items:center}sup{
line-height:0;font-size:.75em}.aside{display:inline-block;max-width:100%;overflow:hidden;text-overflow:ellipsis;
vertical-align:bottom;white-space:nowrap;padding-inline-start:12px}.end{text-align:end}.end button{min-height:24px;
padding:0 8px}.found ul{display:flex;flex-wrap:wrap;gap:4px 16px}.reference{display:flex;gap:6px}.reference input{
flex:1;min-width:8rem}.found{padding-block-start:6px}.link{margin-block-start:16px;flex-wrap:wrap}.choices{display:flex;
flex-wrap:wrap}[popover] .choices{display:block}.choices label{display:flex;gap:7px;align-items:center;padding:3px 8px}
.frame.whole{max-width:62rem}main[aria-busy=true]{cursor:progress}[popover] [aria-current]{font-weight:600}
input[list]::-webkit-calendar-picker-indicator{display:none!important}@media(max-width:64rem){.two,.body:has(.facets){
grid-template-columns:minmax(0,1fr)}.facets{flex-direction:row;gap:20px;padding-block-end:4px}.sheet .body:has(.facets){
grid-template-rows:minmax(0,auto) minmax(15rem,1fr)}.sheet .facets{max-height:13.5rem}.facets section{flex:0 0 11rem}}
@media(max-width:47.99rem),(max-height:33.99rem){.scroll{max-height:84dvh}}@media(max-width:40rem){main{padding:0 14px
32px}.bar{padding:6px 14px;flex-wrap:wrap}.query{order:3;flex:1 0 100%;background:var(--ground)}.query button{
opacity:1!important}.formats{margin-inline-start:auto}.formats a:nth-of-type(n+2){display:none}.head{padding-block:12px
8px}.head .about{flex-basis:100%;order:2}.sentence>form,.sentence>form input{width:100%}.sentence{gap:5px}.tools{
padding-inline:2px}.tools .views{flex-wrap:nowrap;overflow-x:auto;max-width:100%;scrollbar-width:none}.tools .views{
flex:1 0 100%;border-block-end:1px solid var(--line);margin-block-end:1px}.tools{justify-content:space-between}.tools
.quiet{padding-inline:5px;gap:4px}.tools .quiet b,.tools .menu::after{display:none}.merge{min-width:0}.merge :is(tbody,
tr,td,th){display:block;border:0;width:auto!important}.merge thead{display:none}.merge tr{padding:8px 4px;
border-block-end:1px solid var(--line)}.merge tbody th{color:var(--text);font-weight:600;padding-block:2px}.merge td{
display:grid;grid-template-columns:5.2rem minmax(0,1fr);gap:8px;padding-block:4px;border-radius:6px}.merge td::before{
content:attr(data-l);color:var(--soft);font-size:13px}.key{max-width:44vw}.sizes{margin-inline-start:0}.facts>div{
grid-template-columns:minmax(0,7.2rem) minmax(0,1fr);gap:0 10px;padding-inline:12px}.f4,.f6{grid-column:span 12}
:is(.columns,.groups,.filter) ul{columns:2}.acts .button,.save .button,.save button{min-height:36px}[popover]{
position:fixed;position-area:none;inset:auto 0 0;margin:0;width:100%;max-width:100%;border-radius:14px 14px 0 0;
max-height:70dvh;padding:14px}[popover] li :is(a,label){padding-block:9px}}@media(prefers-contrast:more){:root{
--line:var(--edge);--soft:var(--text)}}@media(forced-colors:active){.yes::before,.enum::before{forced-color-adjust:none}
rect{fill:Highlight}}@media print{.bar form,.formats,.tools,.acts,.sentence .x,.picked,.more,.key input,.save{
display:none}.sheet,.sheet main{height:auto;display:block}.scroll{overflow:visible;max-height:none}th,td{
white-space:normal}}
`

/** The name of this style sheet: browsers may keep what has this name for ever. */
export const styleName = createHash('sha256').update(style).digest('base64url').slice(0, 16)
