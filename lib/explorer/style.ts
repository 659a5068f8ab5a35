/** The style of every page. */
export const style = `
:root{color-scheme:light dark;--ground:light-dark(#fbfbfa,#16191c);--panel:light-dark(#fff,#1d2125);
--line:light-dark(#dfe1e0,#343a40);--text:light-dark(#1d2326,#e2e6e8);--soft:light-dark(#5a6468,#a3adb3);
--accent:light-dark(#0b5c82,#7cc4e8);--wash:light-dark(#eef4f7,#223038);--danger:light-dark(#a32018,#ff9d92);
--edge:light-dark(#868e93,#7a848b);--mono:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
*{box-sizing:border-box}[hidden]{display:none!important}
html{font:15px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,"Liberation Sans",sans-serif;
background:var(--ground);color:var(--text)}
body{margin:0 auto;padding:0 1.25rem 3rem;max-width:100rem}
a{color:var(--accent);text-decoration-thickness:1px;text-underline-offset:2px}
h1{font-size:1.5rem;line-height:1.25;margin:.6rem 0 .7rem;font-weight:650;overflow-wrap:anywhere}
h1 .kind{font-size:1rem;font-weight:400;color:var(--soft)}
h2{font-size:1.05rem;margin:1.6rem 0 .45rem;font-weight:650;overflow-wrap:anywhere}h2 small{color:var(--soft);
font-weight:400}
code,pre{font-family:var(--mono);font-size:.9em}code{overflow-wrap:anywhere}
p{margin:.5rem 0}ul,ol{margin:0;padding:0;list-style:none}
:focus-visible{outline:2px solid var(--accent);outline-offset:1px;border-radius:3px}
.unseen,.skip:not(:focus){position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);
white-space:nowrap}
.skip{position:absolute;top:.3rem;left:.3rem;padding:.4rem .7rem;background:var(--panel);z-index:3}
header{border-bottom:1px solid var(--line);margin:0 -1.25rem;padding:.55rem 1.25rem;background:var(--panel)}
header ol{display:flex;flex-wrap:wrap;align-items:baseline}
header li+li::before{content:"/";color:var(--edge);padding:0 .45rem}header .home{font-weight:650}
header a{text-decoration:none}header a:hover,.open:hover,th a:hover{text-decoration:underline}
header bdi{overflow-wrap:anywhere}
input,select,textarea,button,.button{font:inherit;color:inherit;min-height:2rem;padding:.2rem .55rem;
border:1px solid var(--edge);border-radius:5px;background:var(--panel);max-width:100%}
textarea{width:100%;line-height:1.4;padding:.35rem .55rem}
input:is([type=checkbox],[type=radio]){min-height:0;width:1.05rem;height:1.05rem;vertical-align:-.15rem;margin:0;
accent-color:var(--accent)}
button,.button{cursor:pointer;background:var(--wash);border-color:var(--edge);color:var(--accent);font-weight:550;
text-decoration:none;display:inline-flex;align-items:center;white-space:nowrap}
button:hover,.button:hover,summary:hover{background:light-dark(#e0ecf2,#2b3c46)}
.primary{background:light-dark(#0b5c82,#7cc4e8);color:light-dark(#fff,#10212b);border-color:transparent}
.primary:hover{background:light-dark(#084866,#a1d6f1)}.danger{color:var(--danger)}
::placeholder{color:var(--soft);opacity:1}
.request{display:flex;flex-wrap:wrap;gap:.4rem .9rem;align-items:center;margin:0 0 .8rem}
.request form{display:flex;align-items:baseline;flex:1 1 28rem;border:1px solid var(--edge);border-radius:5px;
background:var(--panel);min-width:0}
.request form:focus-within{outline:2px solid var(--accent);outline-offset:1px}
.request form code{padding:.3rem 0 0 .6rem;color:var(--soft);max-width:50%;overflow:hidden;text-overflow:ellipsis;
white-space:nowrap}
.request input{flex:1;border:0;background:none;font-family:var(--mono);font-size:.9em;padding-left:.1rem;
min-width:4rem;outline:0}
.request form button{align-self:stretch;border-width:0 0 0 1px;border-radius:0 4px 4px 0}.request .line{flex:1 1 20rem;
user-select:all}
.formats{display:flex;gap:.75rem;align-items:center}
.tools{display:flex;flex-wrap:wrap;gap:.45rem .5rem;align-items:flex-start;margin:0 0 .8rem}
.tools .button{margin-left:auto}
.filters{display:flex;flex-wrap:wrap;gap:.45rem .5rem;align-items:center}
.filter{display:flex;flex-wrap:wrap;gap:.3rem}.filter select{max-width:13rem}.filter .value input{width:11rem}
.filter:has(.text:checked) label:is(.order,.equality),.filter:has(.order:checked) label:is(.text,.equality),
.filter:has(.equality:checked) label:is(.text,.order){display:none}
.chips{display:flex;flex-wrap:wrap;gap:.35rem}
.chips li{display:inline-flex;align-items:center;background:var(--wash);border:1px solid var(--line);
border-radius:5px;
padding-left:.55rem;min-height:2rem;max-width:100%}
.chips a{display:inline-flex;align-items:center;justify-content:center;min-width:1.9rem;min-height:1.9rem;
text-decoration:none;font-size:1.1rem}
details.menu{position:relative}
.menu>summary{list-style:none;cursor:pointer;min-height:2rem;padding:.25rem .6rem;border:1px solid var(--edge);
border-radius:5px;color:var(--accent);background:var(--panel);white-space:nowrap}
.menu>summary::-webkit-details-marker{display:none}.menu>summary::after{content:" ▾";color:var(--soft)}
.menu>:not(summary){position:absolute;z-index:2;margin-top:.3rem;padding:.6rem .8rem;background:var(--panel);
border:1px solid var(--edge);border-radius:6px;box-shadow:0 6px 22px rgb(0 0 0/.18);max-height:24rem;overflow:auto;
min-width:11rem;max-width:calc(100vw - 2.5rem)}
.menu li a,.menu label{display:block;padding:.18rem 0;white-space:nowrap}fieldset{border:0;margin:0;padding:0}
.code>div{right:0;width:min(40rem,calc(100vw - 2.5rem))}figure{margin:0 0 .8rem}figcaption{color:var(--soft);
margin-bottom:.2rem}
pre{margin:0;padding:.55rem .7rem;background:var(--ground);border:1px solid var(--line);border-radius:5px;
overflow:auto;max-height:26rem}
.request [data-copy]:empty{display:none}
input[list]::-webkit-calendar-picker-indicator{display:none!important}
figcaption button{min-height:1.5rem;padding:0 .5rem;font-size:.87rem}
.code pre{white-space:pre-wrap;overflow-wrap:anywhere;user-select:all}
.scroll{overflow-x:auto;width:fit-content;max-width:100%;border:1px solid var(--line);border-radius:6px;
background:var(--panel);position:relative}
table{border-collapse:collapse;min-width:min(100%,22rem)}
th,td{text-align:start;padding:.26rem .8rem;vertical-align:top;border-bottom:1px solid var(--line);max-width:34rem;
overflow-wrap:break-word}
th{font-weight:600;font-size:.87rem;color:var(--soft);white-space:nowrap;background:var(--ground)}th a{color:inherit;
text-decoration:none}
th[aria-sort] a{color:var(--text)}th a span{padding-left:.3rem;font-size:.75em}
tbody tr:last-child>*{border-bottom:0}tbody tr:is(:hover,:has(.pick :checked)){background:var(--wash)}
.pick{padding-right:0}.pick input{opacity:.55}.pick :is(:checked,:hover,:focus-visible){opacity:1}
.picked{display:none;flex-wrap:wrap;gap:.4rem;align-items:center;margin:.6rem 0 0;position:sticky;bottom:.6rem;
padding:.45rem .6rem;border:1px solid var(--edge);border-radius:6px;background:var(--panel);width:fit-content}
main:has(.pick :checked) .picked{display:flex}
.picked output:not(:empty){margin-right:.5rem}
.number{text-align:end;font-variant-numeric:tabular-nums}time{font-variant-numeric:tabular-nums;white-space:nowrap}
.open{text-decoration:none;font-weight:550}.none,.no{color:var(--soft)}.none{font-style:italic}
.end{text-align:end}.end button{min-height:1.6rem;padding:0 .5rem}
.item dd>bdi,.scalar>bdi{
white-space:pre-wrap;overflow-wrap:anywhere}
.pages{display:flex;flex-wrap:wrap;gap:.3rem 1.2rem;padding:.7rem 0;color:var(--soft)}
.pages a{padding:.1rem 0}.turn a,.sizes a{margin-right:.6rem}.sizes{margin-left:auto}
.item{margin:0;border:1px solid var(--line);border-radius:6px;background:var(--panel)}
.item>div{display:grid;grid-template-columns:minmax(8rem,14rem) 1fr;gap:0 1rem;padding:.38rem .8rem;
border-bottom:1px solid var(--line)}
.item>div:last-child{border-bottom:0}dt{color:var(--soft);overflow-wrap:anywhere}dd{margin:0;min-width:0;
overflow-wrap:anywhere}
.aside{color:var(--soft)}.aside span{white-space:nowrap;padding-left:.8rem}.aside span span{padding:0}
.actions{display:flex;flex-wrap:wrap;gap:.5rem;margin:0 0 .8rem}.others ul{display:flex;flex-wrap:wrap;
gap:.3rem 1.1rem}
.directory{display:grid;grid-template-columns:repeat(auto-fill,minmax(17rem,1fr));gap:.7rem}
.directory li{border:1px solid var(--line);border-radius:6px;background:var(--panel);padding:.7rem .9rem}
.directory .open{font-size:1.1rem}.directory p{color:var(--soft);margin:.2rem 0 0;font-size:.92rem}
.empty{padding:1.6rem;text-align:center;color:var(--soft);border:1px dashed var(--edge);border-radius:6px}
.note,.hint{color:var(--soft)}.hint{margin:.15rem 0 0;font-size:.9rem}
.done,.failure,.faults{padding:.55rem .8rem;border-radius:6px;border:1px solid var(--line);
border-left:4px solid var(--accent);background:var(--panel);margin:0 0 .8rem}
.failure,.faults{border-left-color:var(--danger)}.failure p:first-child{font-size:1.08rem}
.scalar{font-size:1.25rem;padding:.9rem 1rem;border:1px solid var(--line);border-radius:6px;background:var(--panel);
overflow:auto}
.write{max-width:46rem}.write .field{margin:0 0 .9rem}.write .field>label{display:block;font-weight:600;
margin-bottom:.15rem}
.write .field>label .hint{font-weight:400}.write input:not([type=checkbox],[type=radio]),.write select{width:100%}
.fault{color:var(--danger);margin:.2rem 0 0}[aria-invalid=true]{border-color:var(--danger);
box-shadow:inset 0 0 0 1px var(--danger)}
.reference{display:flex;gap:.4rem}.reference input{flex:1;min-width:8rem}
.found{margin:.4rem 0}.found ul{display:flex;flex-wrap:wrap;gap:.35rem}
.link{display:flex;flex-wrap:wrap;gap:.4rem;align-items:end;margin:1rem 0}.conflict th{vertical-align:top}
.choice{border:1px solid var(--edge);border-radius:6px;margin:.4rem 0 0;
padding:.2rem .6rem}.choice label{display:block}
@media(max-width:40rem){body{padding:0 .8rem 2rem}header{margin:0 -.8rem;padding:.5rem .8rem}.item>div{
grid-template-columns:1fr}
.tools .button{margin-left:0}.request form code{max-width:45%}
.request{position:relative}details.code{position:static}.code>div{left:0;width:auto}.sizes{margin-left:0}}
main[aria-busy=true]{cursor:progress}main[aria-busy=true]::before{content:"";position:fixed;inset:0 auto auto 0;
height:3px;width:100%;background:var(--accent);z-index:4}
@media(prefers-reduced-motion:no-preference){html{scroll-behavior:smooth}main[aria-busy=true]::before{
animation:busy 2s ease-out}@keyframes busy{from{width:0}to{width:90%}}}
@media print{.tools,.request,.actions,.link{display:none}}
`
