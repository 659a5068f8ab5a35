/** The style of tables, of their cells, and of what opens from them. */
export const tableStyle = `
.frame{border:1px solid var(--line);border-radius:10px;background:var(--panel);min-width:0;overflow:clip;display:flex;
flex-direction:column}.scroll{overflow:auto;overscroll-behavior-x:contain;position:relative}
.scroll:focus-visible{outline-offset:-2px}table{border-collapse:separate;border-spacing:0;width:100%;
font-variant-numeric:tabular-nums}th,td{text-align:left;height:var(--row);padding:0 var(--pad);white-space:nowrap;
overflow:hidden;text-overflow:ellipsis;max-width:15rem;border-block-end:1px solid var(--line);font-weight:400}
.rest{width:100%;max-width:none;padding:0}tbody tr:last-child>*{border-block-end:0}thead th{position:sticky;
inset-block-start:0;z-index:2;background:var(--panel);color:var(--soft);font-size:13px;height:34px;
padding-inline-end:2px}thead td{position:sticky;inset-block-start:0;z-index:2;background:var(--panel)}
thead th>span{display:flex;align-items:center;min-width:0}thead th.num>span{justify-content:flex-end}
thead a{color:inherit;text-decoration:none;overflow:hidden;text-overflow:ellipsis}thead a:hover,
[aria-sort] a{color:var(--text)}[aria-sort] a{font-weight:600}thead small{font-size:12px;padding-inline-start:4px}
.dir{font-size:9px;padding-inline-start:4px;color:var(--accent)}.more{all:unset;cursor:pointer;width:20px;
text-align:center;color:var(--soft);flex:none;opacity:0;line-height:24px;border-radius:4px}.more::before{content:"⋮"}
:is(th:hover,th:focus-within) .more{opacity:1}.more:hover{background:var(--wash);color:var(--text)}
.more:focus-visible{outline:2px solid var(--accent)}@media(hover:none){.more{opacity:1}}.key{position:sticky;
inset-inline-start:0;z-index:1;background:var(--panel);box-shadow:inset -1px 0 var(--line);max-width:19rem}
.key:dir(rtl){box-shadow:inset 1px 0 var(--line)}thead .key{z-index:3}.key>a,.name{font-weight:600;
text-decoration:none}.key>a:hover{text-decoration:underline}.key input{margin-inline-end:10px;opacity:.5;flex:none}
.key input:is(:checked,:hover,:focus-visible){opacity:1}tbody tr:hover>*,.key:has(>:checked),
.key:has(>:checked)~td{background:var(--wash)}:root:dir(rtl) :is(th,td){text-align:right}.num,
:root:dir(rtl) .num{direction:ltr;text-align:right;padding-inline-end:20px}thead .num:has(.more){padding-inline-end:0}
td.num{max-width:none}.s{max-width:9rem}.m{max-width:14rem}.g{margin-inline-end:.2em}.null{color:var(--soft);
font:12px var(--mono)}time i{font-style:normal;color:var(--soft)}.ref{text-decoration:none;
background:color-mix(in srgb,var(--accent) 6%,transparent);border-radius:4px;padding:2px 6px;margin-inline-start:-6px}
.ref:hover{text-decoration:underline}td.num .ref{margin:0 -6px 0 0;margin-inline:0 -6px}.yes::before,.no::before,
.enum::before{content:"";display:inline-block;width:8px;height:8px;border-radius:50%;margin-inline-end:7px;
background:var(--c,var(--h6))}.yes::before{background:var(--accent)}.no{color:var(--soft)}.no::before{background:none;
box-shadow:inset 0 0 0 1.5px var(--edge)}.e1{--c:var(--h1)}.e2{--c:var(--h2)}.e3{--c:var(--h3)}.e4{--c:var(--h4)}
.e5{--c:var(--h5)}.e6{--c:var(--h6)}.tag{display:inline-block;border:1px solid var(--line);border-radius:4px;
padding:0 6px;line-height:20px;font-size:13px;margin-inline-end:4px;background:var(--panel)}.cut{all:unset;
box-sizing:border-box;cursor:pointer;display:block;width:100%;overflow:hidden;text-overflow:ellipsis;
white-space:nowrap;border-radius:4px}.cut:hover{text-decoration:underline dotted;text-underline-offset:3px}
.cut:focus-visible{outline:2px solid var(--accent);outline-offset:-1px}td.mono{font-size:12px}.thumb{width:24px;
height:24px;object-fit:cover;border-radius:4px;vertical-align:middle;background:var(--ground);
outline:1px solid var(--line);outline-offset:-1px}.compact{--row:26px;--pad:8px;font-size:13px}.roomy{--row:44px}
.roomy .cut{white-space:normal;display:-webkit-box;-webkit-line-clamp:2;-webkit-box-orient:vertical;min-width:17rem;
line-height:1.35}.roomy td:has(.cut){max-width:24rem}.pages{display:flex;flex-wrap:wrap;align-items:center;
gap:4px 16px;padding:6px 12px;border-block-start:1px solid var(--line);color:var(--soft);font-size:13px;
min-height:40px;font-variant-numeric:tabular-nums}.pages b{color:var(--text);font-weight:600}
.pages a{text-decoration:none;padding:4px 0}.pages a:hover{text-decoration:underline}.turn{display:flex;gap:12px}
.sizes{margin-inline-start:auto;display:flex;gap:10px;align-items:baseline}.picked{display:none;flex-wrap:wrap;gap:6px;
align-items:center;padding:6px 10px;background:var(--wash);border-block-start:1px solid var(--accent)}
.picked output{font-weight:600;padding-inline-end:8px}.views{display:flex;flex-wrap:wrap;margin-inline-end:auto}
.views a{white-space:nowrap;padding:8px 9px 7px;text-decoration:none;color:var(--soft);
border-block-end:2px solid transparent;margin-block-end:-1px}.views a:hover{color:var(--text)}
.views [aria-current]{color:var(--text);font-weight:600;border-color:var(--accent)}@property --fade{syntax:"<length>";
inherits:false;initial-value:0px}.body{display:grid;grid-template-columns:minmax(0,1fr);gap:16px}
.body:has(.facets){grid-template-columns:13.5rem minmax(0,1fr)}.facets{overflow:auto;padding-inline:2px;display:flex;
flex-direction:column;gap:16px}.facets h2{display:flex;justify-content:space-between;padding-block:8px 4px;
font-size:13px}.facets h2 .x{min-width:20px}.facets li a{display:grid;grid-template-columns:minmax(0,1fr) auto;
gap:0 8px;padding:3px 6px;border-radius:4px;color:var(--text);text-decoration:none;position:relative;isolation:isolate;
font-size:13px}.facets li a>span:first-child{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.facets li a:hover{text-decoration:underline}.facets svg{position:absolute;inset:2px 0;width:100%;
height:calc(100% - 4px);z-index:-1}.facets svg:dir(rtl){scale:-1 1}rect{fill:var(--bar)}
.facets a[aria-current]{font-weight:600}.facets [aria-current] .n{color:inherit}
.facets [aria-current] rect{fill:color-mix(in srgb,var(--accent) 22%,var(--bar))}.sum{display:flex;align-items:center;
gap:8px}.sum svg{width:11rem;height:10px;flex:none}.sum span{margin-inline-start:auto}.sum rect{fill:color-mix(in srgb,
var(--accent) 50%,var(--panel))}.n{color:var(--soft);font-variant-numeric:tabular-nums}
[popover]{border:1px solid color-mix(in srgb,var(--edge) 50%,transparent);border-radius:10px;padding:8px;
background:var(--raise);color:var(--text);font:400 14px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,
"Helvetica Neue",Arial,sans-serif;text-align:start;white-space:normal;box-shadow:0 8px 30px rgb(0 0 0/.16),
0 1px 3px rgb(0 0 0/.1);width:max-content;max-width:min(34rem,calc(100vw - 16px));max-height:min(32rem,76dvh);
overflow:auto}@supports (position-area:block-end){[popover]{inset:auto;margin:4px;
position-area:block-end span-inline-end;position-try-fallbacks:block-end span-inline-start,block-start span-inline-end,
block-start span-inline-start,block-end span-all}}@supports not selector(:popover-open){[popover].value{display:none}}
[popover] h2{font-size:13px;color:var(--soft);font-weight:500;padding:2px 8px 6px}[popover] li a,
[popover] li label{display:flex;gap:8px;align-items:center;padding:4px 8px;border-radius:6px;color:inherit;
text-decoration:none}[popover] li :is(a,label):hover{background:var(--wash)}[popover] li .n,
[popover] li small{margin-inline-start:auto;padding-inline-start:16px}[popover] hr{border:0;
border-block-start:1px solid var(--line);margin:6px 8px}[popover] form{display:flex;flex-wrap:wrap;gap:8px;padding:4px;
align-items:center}[popover] form :is(ul,fieldset){flex-basis:100%}.cols ul{columns:3 9rem}.cols li{break-inside:avoid}
.value{padding:12px 14px;width:min(32rem,calc(100vw - 16px))}.value p{white-space:pre-wrap;overflow-wrap:anywhere}
.value footer{display:flex;gap:16px;padding-block-start:10px;font-size:13px;color:var(--soft)}
.code figure+figure{margin-block-start:12px}.code{width:36rem}.code figcaption{color:var(--soft);font-size:13px;
display:flex;justify-content:space-between;padding:0 2px 4px}.scroll:has(.key>:checked)~.picked{display:flex}
@supports (animation-timeline:scroll(self inline)){.scroll{mask-image:linear-gradient(to left,transparent,
#000 var(--fade));animation:fade linear both;animation-timeline:scroll(self inline)}
.scroll:dir(rtl){mask-image:linear-gradient(to right,transparent,#000 var(--fade))}@keyframes fade{0%,96%{--fade:40px}
100%{--fade:0px}}}@media(min-width:48rem) and (min-height:34rem){.sheet{height:100dvh}.sheet main{max-width:none;
display:flex;flex-direction:column;min-height:0;padding-block-end:16px}.sheet .body{flex:1;min-height:15rem;
grid-template-rows:minmax(0,1fr)}.sheet .frame{align-self:start}.sheet .scroll{flex:1;min-height:0}
.sheet .frame{max-height:100%}}[data-pad]::after{content:attr(data-pad);visibility:hidden}.e{font-size:0;
font-style:normal}.e::before{content:" × 10";font-size:14px}.u{font-size:0;margin-inline-start:4px}
.code pre{background:var(--ground);border:1px solid var(--line);border-radius:6px;padding:8px 10px;overflow:auto}
`
