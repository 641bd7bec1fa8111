-- Drives `gimlet lsp` as a user of Neovim does, and prints what is shown.
local bufnr, client

local function shown(title)
  print(title)
  for _, it in ipairs(vim.diagnostic.get(bufnr)) do
    local lsp = it.user_data.lsp
    print(string.format('  %d %s %d: %s', it.lnum + 1, lsp.code, it.severity, (it.message:gsub('\n.*', ''))))
    for _, place in ipairs(lsp.relatedInformation or {}) do
      print(string.format('    %d: %s', place.location.range.start.line + 1, place.message))
    end
  end
end

local function findings()
  local is_finding = function(it) return it.user_data.lsp.code ~= 'uncovered' end
  return vim.tbl_filter(is_finding, vim.diagnostic.get(bufnr))
end

local function open(file)
  vim.cmd('edit ' .. file)
  bufnr = vim.api.nvim_get_current_buf()
  client = client or vim.lsp.start_client({
    name = 'gimlet',
    cmd = { 'gimlet', 'lsp' },
    root_dir = vim.fn.getcwd(),
    init_options = { budget = '60s', options = { '--runs=100' } },
  })
  vim.lsp.buf_attach_client(bufnr, client)
  vim.wait(120000, function() return #findings() > 0 end)
  shown('opened ' .. file)
end

local function request(method, params)
  local answers = vim.lsp.buf_request_sync(bufnr, method, params, 60000)
  return answers[client].result
end

local function lenses()
  for _, it in ipairs(request('textDocument/codeLens', { textDocument = vim.lsp.util.make_text_document_params() })) do
    print(string.format('  lens %d: %s', it.range.start.line + 1, it.command.title))
  end
end

-- Takes the first action that is offered for the findings.
local function act()
  local diagnostics = {}
  for _, it in ipairs(findings()) do
    local range = { start = { line = it.lnum, character = it.col }, ['end'] = { line = it.end_lnum, character = it.end_col } }
    table.insert(diagnostics, vim.tbl_extend('force', it.user_data.lsp, { range = range, message = it.message }))
  end
  local params = vim.lsp.util.make_range_params()
  params.context = { diagnostics = diagnostics }
  local actions = request('textDocument/codeAction', params)
  print(#actions .. ' actions')
  if #actions > 0 then
    print(actions[1].title)
    local here = bufnr
    vim.lsp.util.apply_workspace_edit(actions[1].edit, 'utf-16')
    vim.cmd('silent wall')
    vim.cmd('buffer ' .. here)
  end
end

open('src/shop.erl')
lenses()
act()
act()
-- What is saved is tested again.
vim.cmd('%s/error(unlucky)/14/')
vim.cmd('silent write')
vim.wait(120000, function() return #findings() == 0 end)
shown('mended')
open('ledger.pl')
act()
vim.lsp.stop_client(client)
vim.wait(60000, function() return vim.lsp.client_is_stopped(client) end)
print('stopped ' .. tostring(vim.lsp.client_is_stopped(client)))
vim.cmd('qall!')
