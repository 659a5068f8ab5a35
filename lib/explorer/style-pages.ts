/** The style of the other pages, and of small windows, print and contrast. */
export const pageStyle = `
.finder{display:flex;gap:8px;padding:2px 0 16px}.finder input{width:min(26rem,100%)}.index{display:flex;
flex-direction:column;gap:24px}.index h2{font-size:13px;color:var(--soft);padding:0 0 4px;
border-block-end:1px solid var(--line);display:flex;justify-content:space-between;font-weight:600}
.index ul{display:grid;grid-template-columns:repeat(auto-fill,minmax(19rem,1fr));gap:0 32px}.index li{display:grid;
grid-template-columns:minmax(0,1fr) auto;padding:6px 0;gap:0 12px;border-block-end:1px solid var(--line)}
.index p{grid-column:1/-1;color:var(--soft);font-size:13px;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.index a{text-decoration:none;font-weight:600;overflow-wrap:anywhere}.index a:hover{text-decoration:underline}
.dense ul{display:block;columns:5 14rem;column-gap:32px}.dense li{padding:4px 0;break-inside:avoid}
.dense a{font-weight:400}.cards ul{grid-template-columns:repeat(auto-fill,minmax(21rem,1fr));gap:12px}
.cards li{align-content:start;padding:12px 16px 13px;background:var(--panel);border:1px solid var(--line);
border-radius:10px}.cards a{font-size:16px}.cards p{white-space:normal;padding-block-start:2px}
.foot{padding-block-start:24px;color:var(--soft);display:flex;flex-wrap:wrap;gap:4px 20px;font-size:13px}
.two{display:grid;grid-template-columns:minmax(0,1fr) 19rem;gap:24px;align-items:start}.two>*{display:flex;
flex-direction:column;gap:24px;min-width:0}.part>h2{padding-block-end:6px;display:flex;gap:8px;align-items:baseline}
.part>h2>*{min-width:0;overflow-wrap:anywhere}.part>h2 a{text-decoration:none}.part>h2 .n{font-size:13px;
font-weight:400}.facts{background:var(--panel);border:1px solid var(--line);border-radius:10px;padding:4px 0}
.facts>div{display:grid;grid-template-columns:minmax(7rem,11rem) minmax(0,1fr);gap:0 16px;padding:5px 14px}
.facts.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(26rem,100%),1fr))}
.facts.pair>.wide{grid-column:1/-1}.facts dt{color:var(--soft);overflow-wrap:anywhere}.facts dd{overflow-wrap:anywhere;
min-width:0}.facts dd.prose{max-width:70ch;white-space:pre-wrap}.facts .exact{color:var(--soft);font-size:13px;
padding-inline-start:8px;white-space:nowrap}.whole{white-space:pre-wrap;overflow-wrap:anywhere;max-width:76ch;
padding:8px 16px;font-size:16px;line-height:1.55}.picture{width:132px;height:132px;border-radius:6px;display:block;
background:var(--ground);margin-block:3px}.two:has(>.rail:empty){grid-template-columns:minmax(0,1fr);max-width:66rem}
.rail{font-size:13px}.rail h2{font-size:13px;color:var(--soft);font-weight:600;padding-block-end:4px}
.rail li{display:flex;justify-content:space-between;gap:12px;padding:4px 0;border-block-end:1px solid var(--line)}
.rail li a{text-decoration:none;overflow-wrap:anywhere}.rail pre{white-space:pre-wrap;font-size:12px;
margin-block-start:4px}.write{max-width:46rem;display:flex;flex-direction:column;gap:14px}.write .part{display:grid;
gap:14px 16px;grid-template-columns:repeat(12,minmax(0,1fr))}.write legend{font-size:16px;font-weight:600;
padding-block-end:10px}.field{grid-column:span 12;min-width:0}.f6{grid-column:span 6}.f4{grid-column:span 4}
.f3{grid-column:span 3}.f8{grid-column:span 8}.field>label:not(.check),.field>.label,.field legend{display:flex;
gap:8px;align-items:baseline;font-size:13px;font-weight:600;padding-block-end:3px}.req{font-weight:400;
color:var(--soft);font-size:12px}.field>:is(input,select),.with>input{width:100%}.hint{color:var(--soft);
font-size:13px;padding-block-start:3px}.field textarea.mono{font-size:12.5px;tab-size:2;white-space:pre;overflow:auto}
.with{display:flex}.with>input{border-start-end-radius:0;border-end-end-radius:0;min-width:0}.with>span{display:flex;
align-items:center;padding:0 9px;border:1px solid var(--edge);border-inline-start:0;border-radius:0 6px 6px 0;
background:var(--ground);color:var(--soft);font-size:13px;white-space:nowrap}
.with>span:dir(rtl){border-radius:6px 0 0 6px}.choice{display:flex;flex-wrap:wrap;gap:0}.choice label{display:flex;
gap:7px;align-items:center;border:1px solid var(--edge);min-height:32px;padding:0 11px;margin-inline-end:-1px;
background:var(--panel);cursor:pointer}.choice label:first-child{border-start-start-radius:6px;
border-end-start-radius:6px}.choice label:last-child{border-start-end-radius:6px;border-end-end-radius:6px}
.choice label:has(:checked){background:var(--wash);font-weight:600}.check{display:flex;gap:8px;align-items:center;
min-height:32px}.fault{color:var(--bad);font-size:13px;padding-block-start:3px}
[aria-invalid=true]{border-color:var(--bad);box-shadow:inset 0 0 0 1px var(--bad)}.save{position:sticky;
inset-block-end:0;display:flex;flex-wrap:wrap;gap:8px;align-items:center;padding:10px 0;
background:linear-gradient(to top,var(--ground) 80%,transparent);z-index:2}.note{border:1px solid var(--line);
border-inline-start:3px solid var(--accent);border-radius:6px;background:var(--panel);padding:10px 14px;
margin-block-end:16px;max-width:62rem}.note.bad{border-inline-start-color:var(--bad)}
.note.good{border-inline-start-color:var(--good)}.note ul:not(.plain){padding-inline-start:18px;list-style:disc;
padding-block-start:4px}.note p+p{padding-block-start:4px}.note strong{font-weight:600}.empty{padding:40px 24px;
text-align:center;color:var(--soft)}.empty strong{display:block;color:var(--text);font-size:16px;font-weight:600;
padding-block-end:4px}.empty .acts{justify-content:center;margin:16px 0 0}
.wrong{text-decoration:underline wavy var(--bad) 1.5px;text-underline-offset:4px;color:var(--text)}
.prose{max-width:72ch}.prose p+p{padding-block-start:8px}.stack{display:flex;flex-direction:column;gap:24px;
max-width:62rem}.stack>section>h2{padding-block-end:6px}.stack p.soft{padding-block-end:6px}.plainly th,
.plainly td{white-space:normal;overflow-wrap:break-word;max-width:none;padding-block:7px;vertical-align:top;
height:auto}.plainly thead th{position:static;padding-block:7px}.plainly tbody th{color:var(--soft)}.plainly :is(code,
.num,tbody th,thead th){white-space:nowrap}.plainly td:last-child:not(:has(a,select,time,:checked)){min-width:11rem}
:is(.stack,.write) .acts{margin:0;align-self:start}.plainly .num{padding-inline-end:20px}.merge :is(code,
th){white-space:normal!important}.merge{table-layout:fixed;min-width:44rem}.merge th:first-child{width:8.5rem}
.merge td label{display:flex;gap:8px;align-items:baseline}.merge td:has(:checked){background:var(--wash)}
.merge td span{min-width:0}sup{line-height:0;font-size:.75em}.wide.stack{max-width:none}.aside{display:inline-block;
max-width:100%;overflow:hidden;text-overflow:ellipsis;vertical-align:bottom;white-space:nowrap;
padding-inline-start:12px}.end{text-align:end}.end button{min-height:24px;padding:0 8px}.others ul,
.found ul{display:flex;flex-wrap:wrap;gap:4px 16px}.reference{display:flex;gap:6px}.reference input{flex:1;
min-width:8rem}.found{padding-block-start:6px}.foot+form{padding-block-start:16px}.link{margin-block-start:16px;
flex-wrap:wrap}.choices{display:flex;flex-wrap:wrap}[popover] .choices{display:block}.choices label{display:flex;
gap:7px;align-items:center;padding:3px 8px}.frame.whole{max-width:62rem}main[aria-busy=true]{cursor:progress}
[popover] [aria-current]{font-weight:600}input[list]::-webkit-calendar-picker-indicator{display:none!important}
@media(max-width:64rem){.two,.body:has(.facets){grid-template-columns:minmax(0,1fr)}.facets{flex-direction:row;
gap:20px;padding-block-end:4px}.sheet .body:has(.facets){grid-template-rows:minmax(0,auto) minmax(15rem,1fr)}
.sheet .facets{max-height:13.5rem}.facets section{flex:0 0 11rem}}@media(max-width:47.99rem),
(max-height:33.99rem){.scroll{max-height:84dvh}}@media(max-width:40rem){main{padding:0 14px 32px}.bar{padding:6px 14px;
flex-wrap:wrap}.query{order:3;flex:1 0 100%;background:var(--ground)}.query button{opacity:1!important}
.formats{margin-inline-start:auto}.formats a:nth-of-type(n+2){display:none}.head{padding-block:12px 8px}
.head .about{flex-basis:100%;order:2}.sentence>form,.sentence>form input{width:100%}.sentence{gap:5px}
.tools{padding-inline:2px}.tools .views,.sentence.few{flex-wrap:nowrap;overflow-x:auto;max-width:100%;
scrollbar-width:none}.tools .views{flex:1 0 100%;border-block-end:1px solid var(--line);margin-block-end:1px}
.tools{justify-content:space-between}.tools .quiet{padding-inline:5px;gap:4px}.tools .quiet b,
.tools .menu::after{display:none}.merge{min-width:0}.merge :is(tbody,tr,td,th){display:block;border:0;
width:auto!important}.merge thead{display:none}.merge tr{padding:8px 4px;border-block-end:1px solid var(--line)}
.merge tbody th{color:var(--text);font-weight:600;padding-block:2px}.merge td{display:grid;
grid-template-columns:5.2rem minmax(0,1fr);gap:8px;padding-block:4px;border-radius:6px}
.merge td::before{content:attr(data-l);color:var(--soft);font-size:13px}.key{max-width:44vw}
.sizes{margin-inline-start:0}.facts>div{grid-template-columns:minmax(0,7.2rem) minmax(0,1fr);gap:0 10px;
padding-inline:12px}.f3,.f4,.f6,.f8{grid-column:span 12}.f4.half,.f3,.f6.half{grid-column:span 6}.cols ul{columns:2}
.acts .button,.save .button,.save button{min-height:36px}[popover]{position:fixed;position-area:none;inset:auto 0 0;
margin:0;width:100%;max-width:100%;border-radius:14px 14px 0 0;max-height:70dvh;padding:14px}[popover] li :is(a,
label){padding-block:9px}}@media(prefers-contrast:more){:root{--line:var(--edge);--soft:var(--text)}}
@media(forced-colors:active){.yes::before,.enum::before{forced-color-adjust:none}rect{fill:Highlight}}
@media print{.bar form,.formats,.tools,.acts,.sentence .x,.picked,.more,.key input,.save{display:none}.sheet,
.sheet main{height:auto;display:block}.scroll{overflow:visible;max-height:none}th,td{white-space:normal}}
`
